import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { Delivery } from '../../model/delivery.js';
import type { HttpService } from '../destination/http-service.js';
import type { RowSink, RowText, RunSql, WriteBlocks, WriteLines } from '../model/ports.js';
import type { RowRequest } from '../model/row-request.js';
import type { DatabasePlan, SuperTablePlan } from '../model/scenario.js';
import type { RowSource } from '../rows/source.js';

/** The ways to the database; which of them are there depends on the modes of the scenario. */
export interface InsertWays {
  readonly embedded: EmbeddedPorts | undefined;
  readonly http: HttpService | undefined;
  /** Fires when nothing may wait any longer. */
  readonly cut: AbortSignal;
}

/** The embedded service as rows use it. */
export interface EmbeddedPorts {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly run: RunSql;
  readonly writeBlocks: WriteBlocks;
  readonly writeLines: WriteLines;
  ping(): Promise<boolean>;
}

/** A request, or a part of it where it is too long for one. */
export interface RequestPart {
  readonly rows: number;
  send(deadline: AbortSignal): Promise<Delivery>;
}

/** A mode for one thread: its encoder, and the sink behind it. */
export interface RowPath extends Pick<RowSink<RowText>, 'end' | 'stop'> {
  /** True when requests of a thread follow each other on one connection. */
  readonly isRemote: boolean;
  /** The parts of a request, each made when the one before has ended, because they share a buffer. */
  parts(request: RowRequest): Iterable<RequestPart>;
}

/** Data that fill one super table. */
export interface FilledTable {
  readonly database: DatabasePlan;
  readonly plan: SuperTablePlan;
  readonly source: RowSource;
}
