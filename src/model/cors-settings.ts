/** The settings `cors.*`: which pages of other origins may call. */
export interface CorsSettings {
  /** Every page may call; those that `allowOrigins` and `allowHosts` do not name may not use the first password. */
  readonly allowAllOrigins: boolean;
  /** Origins with scheme; one `*` per entry stands for any text. Empty means `http://127.0.0.1`. */
  readonly allowOrigins: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  /**
   * Names of this service, beside those of the machine, under which browsers may call it; one `*` per entry stands for
   * any text.
   */
  readonly allowHosts: readonly string[];
  /**
   * Pages of other origins may open WebSocket connections, and `allowOrigins` may have the schemes `ws://` and
   * `wss://`.
   */
  readonly allowWebSockets: boolean;
}
