import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { BodyBudget, BodyLease } from '../../async/body-budget.js';
import { detached } from '../../async/detached.js';
import type { Credentials, Intake } from '../../model/exchange.js';
import { Codes, FaultError, fault, faultOf } from '../../model/fault.js';
import { refusalOf } from '../answer/refusal.js';
import { refusalOfOutcome } from '../answer/write-refusal.js';
import { rpcCode } from '../handlers/otlp.js';
import { isFault, readAuthorization } from '../request/auth.js';
import type { Refusal } from '../request/call.js';
import { plainAddress } from '../request/client-address.js';
import type { LoginCodes } from '../request/login-code.js';
import { limitFrames } from './frame-limit.js';

const memoryShort = { kind: 'answered', answer: { outcome: 'shed', reason: 'memory' } } as const;

/** A call whose message may be read. */
interface AdmittedGrpcCall {
  readonly credentials: Credentials;
  /** Fires when the caller is gone. */
  readonly aborted: AbortSignal;
}

/** Rules by which calls are admitted. */
interface GrpcAdmissionOptions {
  readonly intake: Pick<Intake, 'authenticate' | 'guard'>;
  readonly bodies: BodyBudget;
  readonly loginCodes: LoginCodes;
  /** Longest message. */
  readonly messageBytes: number;
}

/**
 * Asks who calls, and waits for room in the budget of bodies, before the message of a call is read. Its length is
 * unknown then, so room for the longest is taken, and what is too much is given back once it is here. A call ends with
 * `UNAUTHENTICATED`, or with `UNAVAILABLE`, which callers try again, when there is no room for as long as a body may
 * wait. One whose message takes long to come while others wait is ended too.
 */
export class GrpcAdmission {
  readonly #options: GrpcAdmissionOptions;
  readonly #calls = new WeakMap<Metadata, AdmittedGrpcCall>();

  constructor(options: GrpcAdmissionOptions) {
    this.#options = options;
  }

  /** To be given to the server. */
  readonly interceptor: ServerInterceptor = (_, call) => {
    limitFrames(call);
    const aborted = new AbortController();
    let lease: BodyLease | undefined;
    const refuse = ({ status, message }: Refusal): void => call.sendStatus({ code: rpcCode(status), details: message });
    const admit = async (metadata: Metadata, go: (metadata: Metadata) => void): Promise<void> => {
      const from = plainAddress(call.getConnectionInfo().remoteAddress ?? 'unknown');
      const admission = await this.#admit(metadata, from, aborted.signal);
      if ('refusal' in admission) return refuse(admission.refusal);
      if (aborted.signal.aborted) return admission.lease.release();
      ({ lease } = admission);
      lease.giveUp = (reason) => refuse(refusalOf(reason));
      go(metadata);
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, go) =>
            detached(admit(metadata, go), (error) => refuse(refusalOf(faultOf(error)))),
          onReceiveMessage: (message: Buffer, go) => {
            lease?.ended();
            lease?.shrink(message.length);
            go(message);
          },
          // It comes at the end of every call.
          onCancel: () => {
            aborted.abort();
            lease?.release();
          },
        }),
    });
  };

  /** The call with this metadata as it was admitted. */
  admitted(metadata: Metadata): AdmittedGrpcCall {
    const call = this.#calls.get(metadata);
    if (call === undefined) throw new Error('The call was not admitted.');
    return call;
  }

  async #admit(
    metadata: Metadata,
    from: string,
    aborted: AbortSignal,
  ): Promise<{ readonly refusal: Refusal } | { readonly lease: BodyLease }> {
    const { intake, bodies, loginCodes, messageBytes } = this.#options;
    if (intake.guard() === 'all-paused') return { refusal: refusalOfOutcome(memoryShort, '')! };
    const authorization = metadata.get('authorization')[0]?.toString();
    const proof = readAuthorization(authorization, loginCodes, new URLSearchParams());
    if (isFault(proof)) return { refusal: refusalOf(proof, 'credentials') };
    const credentials = { ...proof, from };
    try {
      const identity = await intake.authenticate(credentials);
      if (isFault(identity)) return { refusal: refusalOf(identity, 'credentials') };
      const lease = await bodies.lease(identity.user, messageBytes, aborted);
      this.#calls.set(metadata, { credentials, aborted });
      return { lease };
    } catch (error) {
      const failure = error instanceof FaultError ? error.fault : fault('resource', Codes.free, 'the call has ended');
      return { refusal: refusalOf(failure) };
    }
  }
}
