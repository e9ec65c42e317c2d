import { Readable } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status as statusCodes,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { BodyBudget } from '../../async/body-budget.js';
import { detached } from '../../async/detached.js';
import type { Component, ComponentLog } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';
import type { Intake, WriteRequest } from '../../model/exchange.js';
import type { TlsSettings } from '../../model/tls-settings.js';
import { newTally, withoutMetadata } from '../../model/write-tally.js';
import { sendRequest } from '../answer/send-request.js';
import { refusalOfOutcome } from '../answer/write-refusal.js';
import { readCertificate, watchCertificate } from '../connection/certificate.js';
import { exportResponse, rpcCode } from '../handlers/otlp.js';
import { databaseHeader } from '../handlers/write-parameters.js';
import type { NamedRouteSettings, Refusal } from '../request/call.js';
import type { LoginCodes } from '../request/login-code.js';
import { newRequestId } from '../request/parameters.js';
import { GrpcAdmission } from './grpc-admission.js';

const rowWord = 'data point';
/** Calls of one connection that are under way at once. */
const maxCalls = 256;
/** A connection without calls is closed after so many ms: longer than agents usually wait between two. */
const maxIdleMs = 120_000;
const bytes = (value: Buffer): Buffer => value;

/** The one call of the service. Messages are bytes: the parser of the pipeline reads them. */
const service: ServiceDefinition = {
  Export: {
    path: '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  },
};

/** A certificate that can be changed while connections are open. */
class RenewableCertificate extends ServerCredentials {
  constructor(options: SecureContextOptions) {
    super({}, options);
  }

  /** Has new connections use another one. */
  renew(options: SecureContextOptions): void {
    this.updateSecureContextOptions(options);
  }

  _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

/** Options of the endpoint. */
interface OtlpGrpcOptions {
  readonly intake: Pick<Intake, 'authenticate' | 'guard' | 'write'>;
  readonly bodies: BodyBudget;
  readonly loginCodes: LoginCodes;
  readonly settings: NamedRouteSettings;
  /** 0 picks a free port. */
  readonly port: number;
  /** Left out: without TLS. */
  readonly tls?: TlsSettings | undefined;
  readonly log: ComponentLog;
  /** After how long a connection without calls is closed, in ms; two minutes when left out. */
  readonly maxIdleMs?: number;
}

/**
 * Metrics of OpenTelemetry over gRPC. Credentials are metadata `authorization`, the database is metadata `x-sluice-db`.
 * Calls end as those over HTTP do: OK with a partial success, `UNAVAILABLE` for what may pass, another code for what
 * will not; `RESOURCE_EXHAUSTED` for a message that is too long. With TLS the certificate is read again when its files
 * change.
 */
export class OtlpGrpcEndpoint implements Component {
  readonly name = 'otlp-grpc';
  /** The port that is listened on, once started. */
  port: number;
  readonly #options: OtlpGrpcOptions;
  readonly #admission: GrpcAdmission;
  readonly #server: Server;
  #stopWatching = (): void => undefined;

  constructor(options: OtlpGrpcOptions) {
    this.#options = options;
    this.port = options.port;
    const { intake, bodies, loginCodes, settings } = options;
    this.#admission = new GrpcAdmission({ intake, bodies, loginCodes, messageBytes: settings.messageBytes });
    this.#server = new Server({
      'grpc.max_receive_message_length': settings.messageBytes,
      'grpc.max_concurrent_streams': maxCalls,
      'grpc.max_connection_idle_ms': this.#options.maxIdleMs ?? maxIdleMs,
      interceptors: [this.#admission.interceptor],
    });
    const calls: UntypedServiceImplementation = {
      Export: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) =>
        detached(this.#export(call, answer)),
    };
    this.#server.addService(service, calls);
  }

  async start(): Promise<void> {
    const { log, port, settings } = this.#options;
    const credentials = this.#credentials();
    try {
      this.port = await this.#bind(`[::]:${port}`, credentials);
    } catch {
      // Without IPv6 there is the other address; if the port is the reason, the error comes now.
      this.port = await this.#bind(`0.0.0.0:${port}`, credentials);
    }
    log.info({ listens: this.port, database: settings.db, protocol: 'grpc' }, 'Listening for OTLP over gRPC.');
  }

  drain(): Promise<void> {
    return new Promise((resolve) => this.#server.tryShutdown(() => resolve()));
  }

  async stop(): Promise<void> {
    this.#stopWatching();
    this.#server.forceShutdown();
  }

  #credentials(): ServerCredentials {
    const { log, tls } = this.#options;
    if (tls === undefined) return ServerCredentials.createInsecure();
    const certificate = new RenewableCertificate(readCertificate(tls));
    this.#stopWatching = watchCertificate(tls, log, (renewed) => certificate.renew(renewed));
    return certificate;
  }

  #bind(address: string, credentials: ServerCredentials): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (error, port) => {
        if (error === null) resolve(port);
        else reject(new Error(`otlp.grpcPort: cannot listen on ${address}: ${error.message}`, { cause: error }));
      });
    });
  }

  async #export(call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): Promise<void> {
    const refuse = ({ status, message }: Refusal): void => answer({ code: rpcCode(status), details: message });
    try {
      const refusal = await this.#write(call);
      if (refusal === undefined || refusal.cause === 'rows') answer(null, Buffer.from(exportResponse(refusal)));
      else refuse(refusal);
    } catch (error) {
      this.#options.log.error({ err: error }, 'A call of OTLP failed.');
      answer({ code: statusCodes.INTERNAL, details: 'internal error' });
    }
  }

  /** Writes the points of a call; returns why they are not stored, or not all of them. */
  async #write({ request, metadata }: ServerUnaryCall<Buffer, Buffer>): Promise<Refusal | undefined> {
    const { intake, settings } = this.#options;
    const { credentials, aborted } = this.#admission.admitted(metadata);
    const { createDatabase, messageBytes: maxMessageBytes, db } = settings;
    const database = metadata.get(databaseHeader)[0]?.toString() || db;
    const tally = newTally();
    const write: WriteRequest = {
      format: 'otlp',
      credentials,
      target: { database, createDatabase, ttl: 0, precision: 'ns', tally },
      body: Readable.from([request]),
      whole: () => request,
      length: request.length,
      maxMessageBytes,
    };
    const id = newRequestId();
    const port = (exchange: Parameters<Intake['write']>[0]): void => intake.write(exchange);
    const outcome = await sendRequest<WriteRequest, Delivery>(port, id, write, aborted);
    if (outcome.kind === 'refused') return refusalOfOutcome(outcome, rowWord);
    return refusalOfOutcome({ kind: 'answered', answer: withoutMetadata(outcome.answer, tally) }, rowWord);
  }
}
