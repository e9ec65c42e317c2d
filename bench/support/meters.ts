import { type BenchService, sendAll } from './service.js';

/** How much there is to read. */
export interface MetersScale {
  readonly devices: number;
  /** Points of each device, 30 s apart. */
  readonly points: number;
  /** Rows of an insert, which is a part while it is not merged. */
  readonly batchSize: number;
}

export const stepMs = 30_000;
const connections = 4;
const linesPerBody = 5_000;
/** 2023-11-15T00:00:00Z */
export const start = 1_700_006_400_000;

/** Line protocol of all points from one on; the bodies of one connection are those of a share of the devices, in the order of time. */
export function bodiesOf({ devices }: Pick<MetersScale, 'devices'>, first: number, until: number): Uint8Array[][] {
  return Array.from({ length: connections }, (_, connection) => {
    const bodies: Uint8Array[] = [];
    let lines: string[] = [];
    const flush = (): void => {
      if (lines.length > 0) bodies.push(Buffer.from(lines.join('\n')));
      lines = [];
    };
    for (let point = first; point < until; point++) {
      for (let device = connection; device < devices; device += connections) {
        const tags = `groupid=${(device % 10) + 1},location=city-${Math.floor(device / 10) % 10}.${Math.floor(device / 100)}`;
        const wave = (device * 7919 + point * 104_729) % 1000;
        const fields = `current=${9 + (wave % 50) / 10},voltage=${200 + (wave % 40)}i,phase=${wave / 1000}`;
        lines.push(`meters,device=${device},${tags} ${fields} ${start + point * stepMs}`);
        if (lines.length === linesPerBody) flush();
      }
    }
    flush();
    return bodies;
  });
}

/** Writes the bodies of all connections into the database `bench`. */
export async function load(service: BenchService, bodies: readonly (readonly Uint8Array[])[]): Promise<void> {
  const path = '/lineproto/v1/write?db=bench&precision=ms';
  await Promise.all(bodies.map((own) => sendAll(service.port, path, own, 1)));
}
