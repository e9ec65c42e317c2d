import type { TestService } from '../service/service.js';

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly op?: string;
  readonly line?: number;
}

/** What tests of line protocol do with a service. */
export function lineTests(service: TestService) {
  let databases = 0;

  /** A database of its own for a test; nanoseconds unless told otherwise. */
  async function freshDatabase(precision = 'ns'): Promise<string> {
    databases++;
    const name = `lines_${databases}`;
    await service.run(`CREATE DATABASE ${name} PRECISION '${precision}'`);
    return name;
  }

  async function refusal(
    lines: string,
    query: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number } & Refusal> {
    const reply = await service.write(lines, query);
    const body: Refusal = reply.text === '' ? { code: '', message: '' } : JSON.parse(reply.text);
    return { status: reply.status, ...body };
  }

  /** Columns of a table as `name TYPE(length)`, tags with a star. */
  async function columns(table: string): Promise<string[]> {
    const rows = await service.rows(`DESCRIBE ${table}`);
    return rows.map(([name, type, length, note]) => {
      const width = type === 'VARCHAR' || type === 'NCHAR' || type === 'VARBINARY' || type === 'GEOMETRY';
      return `${name} ${type}${width ? `(${length})` : ''}${note === 'TAG' ? ' *' : ''}`;
    });
  }
  return { freshDatabase, refusal, columns };
}
