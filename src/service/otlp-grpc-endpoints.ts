import { createLoginCodes } from '../http/request/login-code.js';
import type { Component } from '../model/component.js';
import { intakeOf } from './http-endpoint.js';
import type { ServiceParts } from './parts.js';
import type { ServicePipelines } from './pipelines.js';

/** The endpoint for OpenTelemetry's metrics over gRPC, if it is enabled; its library is loaded only then. */
export async function otlpGrpcEndpoints(parts: ServiceParts, pipelines: ServicePipelines): Promise<Component[]> {
  const { settings, catalogue, logOf } = parts;
  const { otlp, limits, general } = settings;
  if (!otlp.grpc) return [];
  const { OtlpGrpcEndpoint } = await import('../http/grpc/otlp-grpc.js');
  const endpoint = new OtlpGrpcEndpoint({
    intake: intakeOf(parts, pipelines),
    bodies: pipelines.bodies,
    loginCodes: createLoginCodes({ secret: await catalogue.sharedSecret() }),
    settings: { ...otlp, createDatabase: general.smlAutoCreateDB, messageBytes: limits.messageBytes },
    port: otlp.grpcPort,
    tls: settings.tls,
    log: logOf('otlp-grpc'),
  });
  return [endpoint];
}
