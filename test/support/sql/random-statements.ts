/** Kinds of values that an expression may be of. */
type Kind = 'number' | 'text' | 'time' | 'truth' | 'shape' | 'bytes';

const columns: Readonly<Record<Kind, readonly string[]>> = {
  number: ['i', 'u', 'd', 'f', 'c', 'w', 'k', 'o'],
  text: ['v', 'n', 'l'],
  time: ['ts', 't'],
  truth: ['b'],
  shape: ['g'],
  bytes: ['x'],
};

const literals: Readonly<Record<Kind, readonly string[]>> = {
  number: '1 0 -5 2 30 -20 0.5 -1e300 1e18 9223372036854775807 18446744073709551615 99999999999999999999'.split(' '),
  text: [
    "'a'",
    "''",
    "'5'",
    "'2024-01-01'",
    "'1e400'",
    "'%d'",
    "'('",
    "'YYYY-MM-DD'",
    "'Asia/Tokyo'",
    "'本'",
    "'\\\\'",
  ],
  time: ['NOW()', 'TODAY()', "'2024-01-01'", '1700000000000', '0'],
  truth: ['TRUE', 'FALSE'],
  shape: ["ST_GEOMFROMTEXT('POINT(1 2)')", "ST_GEOMFROMTEXT('POLYGON((0 0,1 0,1 1,0 0))')"],
  bytes: ["'\\\\x01'"],
};

const everyColumn = Object.values(columns).flat();
const everyLiteral = [...Object.values(literals).flat(), 'NULL', '1s', '1n', '1d', '3b'];
const units = '1s 1a 1b 1d 1w 1n 1y 1h NULL'.split(' ');
const wholes = '0 1 -1 2 30 9223372036854775807 -9223372036854775807 i k o'.split(' ');

/**
 * Calls and operators by the kind of their result. A capital letter stands for an operand: N a number, T a text, M a time, G a shape, X
 * bytes, C a condition, A anything, I a whole number, L a literal text, U a unit of time.
 */
const shapes: Readonly<Record<Kind, readonly string[]>> = {
  number: (
    'abs(N);ceil(N);floor(N);sign(N);round(N);round(N,N);truncate(N,N);trunc(N,N);sqrt(N);exp(N);ln(N);log(N);log(N,N);pow(N,N);' +
    'mod(N,N);sin(N);tan(N);asin(N);acos(N);atan(N);degrees(N);radians(N);pi();rand();rand(I);greatest(A,A);least(N,N);crc32(A);' +
    'length(T);char_length(T);position(T in T);find_in_set(T,T);find_in_set(T,T,L);like_in_set(T,T);regexp_in_set(T,T);' +
    'regexp_in_set(T,L);ascii(T);timediff(M,M);timediff(M,M,U);week(M);week(M,3);weekofyear(M);weekday(M);dayofweek(M);' +
    'to_unixtimestamp(T);to_unixtimestamp(T,1);st_x(G);st_y(G);st_dimension(G);st_numpoints(G);st_numinteriorrings(G);' +
    'st_numgeometries(G);if(C,N,N);ifnull(N,N);nvl(N,N);nvl2(A,N,N);nullif(N,N);coalesce(N,N,N);cast(A as INT);' +
    'cast(A as BIGINT);cast(A as BIGINT UNSIGNED);cast(A as TINYINT);cast(A as FLOAT);cast(A as DOUBLE);' +
    'cast(A as DECIMAL(10,2));cast(A as DECIMAL(38,38));cast(A as DECIMAL(38,0));(N + N);(N - N);(N * N);(N / N);(N % N);' +
    '(N & N);(N | N);-N;(M - M);case when C then N else N end;case A when A then N end;(SELECT N FROM one LIMIT 1)'
  ).split(';'),
  text: (
    'concat(T,T);concat_ws(T,T,T);concat_ws(L,T,A);lower(T);upper(T);ltrim(T);rtrim(T);trim(T);trim(L FROM T);' +
    'substring(T,N);substring(T,I,N);substring_index(T,L,I);replace(T,T,T);replace(T,L,L);repeat(T,I);regexp_extract(T,L);' +
    'regexp_extract(T,L,I);char(N);char(I,I);md5(T);sha(T);sha1(T);sha2(T,256);to_base64(T);from_base64(T);mask_full(T,L);' +
    'mask_partial(T,I,I,L);mask_none(T);aes_encrypt(T,L);aes_decrypt(T,L);sm4_encrypt(T,L);sm4_decrypt(T,L);timezone();' +
    'to_iso8601(M);to_iso8601(M,L);to_char(M,L);date(M);st_astext(G);if(C,T,T);ifnull(T,A);nullif(T,A);coalesce(T,A);' +
    'cast(A as VARCHAR(5));cast(A as NCHAR(3));case when C then T else A end;database();current_user();greatest(T,A)'
  ).split(';'),
  time: (
    'timetruncate(M,U);timetruncate(M,U,I);to_timestamp(T,L);cast(A as TIMESTAMP);(M + U);(M - U);(M + N);(M - N);' +
    'if(C,M,M);ifnull(M,M);coalesce(M,M);now();today();greatest(M,M)'
  ).split(';'),
  truth: 'isnull(A);isnotnull(A);st_isempty(G);cast(A as BOOL);(C)'.split(';'),
  shape: 'st_geomfromtext(T);st_makepoint(N,N);if(C,G,G);ifnull(G,G);coalesce(G,G)'.split(';'),
  bytes: 'cast(A as VARBINARY(4));coalesce(X,X)'.split(';'),
};

const aggregates = (
  'count(N);count(DISTINCT A);sum(N);avg(N);avg(DISTINCT N);spread(N);spread(M);stddev(N);var_samp(N);hyperloglog(A);group_concat(T, L);' +
  'percentile(N, 50);percentile(N, 50, 60);apercentile(N, 50);apercentile(N, 50, L);leastsquares(N, 1, 1);' +
  "histogram(N, 'user_input', '[0,1,5]', 1);corr(N, N);covar_pop(N, N);elapsed(ts, 1s);twa(N);irate(N);increase(N);rate(N);min(A);max(A);first(A);" +
  'last(A);last_row(A);mode(A)'
).split(';');

const series = (
  "diff(N);diff(N, 3);derivative(N, 1s, 0);csum(N);mavg(N, 2);statecount(N, 'GT', 1);stateduration(N, 'GT', 1.5, 1s);lag(A);" +
  'lead(A, 1, L);fill_forward(A);top(N, 1);bottom(N, 2);sample(A, 1);tail(A, 1);unique(A)'
).split(';');

const overs = 'row_number();rank();ntile(2);sum(N);max(A);lag(A, 1);first_value(A);nth_value(A, 2);count(A)'.split(';');

const kinds: readonly Kind[] = ['number', 'number', 'number', 'text', 'text', 'time', 'truth', 'shape', 'bytes'];
const letters: Readonly<Record<string, Kind>> = { N: 'number', T: 'text', M: 'time', G: 'shape', X: 'bytes' };

/** Time of the first row, ms. */
export const firstTime = 1_700_000_000_000;

const dataColumns =
  'i INT, u BIGINT UNSIGNED, d DOUBLE, f FLOAT, c DECIMAL(30,5), b BOOL, v VARCHAR(40), n NCHAR(8), x VARBINARY(8), ' +
  'g GEOMETRY(200), t TIMESTAMP, w DECIMAL(38,38), k TINYINT';

/** Statements that make the tables of {@link RandomStatements}: `one` has values at the edges of their types and NULLs, `st` sub-tables. */
export const randomTables: readonly string[] = [
  `CREATE TABLE one (ts TIMESTAMP, ${dataColumns}, l VARCHAR(8), o BIGINT)`,
  `INSERT INTO one VALUES
    (${firstTime}, -3, 18446744073709551615, 0.5, 0.2, -7.25, true, 'b', '本', '\\\\x02', 'POINT(1 3)', 5000, 0.5, -127, 'x', 9223372036854775807)
    (${firstTime + 1}${', NULL'.repeat(15)})
    (${firstTime + 1000}, 2147483647, 0, -1e308, 3e38, 1234567890123456789012345, false, '2024-01-01 00:00:00', '5', '',
      'POLYGON((0 0,1 0,1 1,0 0))', -1, -0.99, 0, '', -9223372036854775807)
    (${firstTime + 3000}, 0, 9223372036854775808, 1e308, 0, 0, true, 'POINT(1', '', 'abc', 'LINESTRING(0 0,1 1)', 9223372036854775807, 0, 127, 'x', 0)`,
  `CREATE STABLE st (ts TIMESTAMP, ${dataColumns}) TAGS (l VARCHAR(8), o BIGINT)`,
  `INSERT INTO s1 USING st TAGS ('x', 1) VALUES (${firstTime}, 1, 1, 1, 1, 1, true, 'a', 'a', 'a', 'POINT(1 1)', 1, 0.1, 1)
    (${firstTime + 500}, 2, 2, 2, 2, 2, false, '2', '2', '2', 'POINT(1 2)', 2, 0.2, 2)
    s2 USING st TAGS (NULL, NULL) VALUES (${firstTime + 1000}${', NULL'.repeat(13)})`,
];

/** Draws SELECTs of expressions with functions, operators and clauses of all kinds. The same seed draws the same. */
export class RandomStatements {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next SELECT over {@link randomTables}. */
  next(): string {
    const depth = this.#pick([1, 2, 2, 3]);
    const table = this.#pick(['one', 'one', 'st']);
    const where = this.#chance(0.4) ? ` WHERE ${this.#condition(depth)}` : '';
    const plain = `FROM ${table}${where}`;
    const [a, b] = [this.#any(depth), this.#any(depth)];
    const [aggregate, other] = [this.#call(aggregates, depth), this.#call(aggregates, depth)];
    const inTime = `FROM ${table} WHERE ts >= ${firstTime - 5000} AND ts < ${firstTime + 9000}`;
    const filling = ['', 'FILL(LINEAR)', 'FILL(PREV)', 'FILL(NULL)', `FILL(VALUE, ${this.#pick(everyLiteral)})`];
    const windows = [
      'SESSION(ts, 1s)',
      `STATE_WINDOW(${a})`,
      `EVENT_WINDOW START WITH ${a} END WITH ${b}`,
      'COUNT_WINDOW(2)',
    ];
    const joins = ['JOIN', 'LEFT JOIN', 'FULL JOIN', 'LEFT SEMI JOIN', 'LEFT ANTI JOIN', 'LEFT ASOF JOIN'];
    const [left, right] = [this.#pick(everyColumn), this.#pick(everyColumn)];
    return this.#pick([
      `SELECT ${a}, ${b} ${plain}`,
      `SELECT ${a} ${plain} ORDER BY ${b}`,
      `SELECT DISTINCT ${a} ${plain}`,
      `SELECT ${aggregate}, ${other} ${plain}`,
      `SELECT ${aggregate}, ${a} ${plain} GROUP BY ${a} HAVING ${other} > ${this.#pick(everyLiteral)}`,
      `SELECT ${aggregate}, ${a} ${plain} PARTITION BY ${a}`,
      `SELECT _wstart, ${aggregate} ${inTime} INTERVAL(${this.#pick(['1s', '3s', '1d', '1n'])}) ${this.#pick(filling)}`,
      `SELECT _wstart, ${aggregate} ${inTime} PARTITION BY ${b} INTERVAL(2s) SLIDING(1s)`,
      `SELECT ${aggregate} ${plain} ${this.#pick(windows)}`,
      `SELECT ${this.#call(series, depth)} ${plain} ${this.#pick(['', 'PARTITION BY tbname', 'PARTITION BY l'])}`,
      `SELECT ${this.#call(overs, depth)} OVER (PARTITION BY ${a} ORDER BY ${b}) ${plain}`,
      `SELECT COUNT(*), MAX(a.ts) FROM one a ${this.#pick(joins)} one b ON a.ts = b.ts AND a.${left} ${this.#pick(['=', '<'])} b.${right}`,
      `SELECT ${a} ${plain} UNION ${this.#pick(['', 'ALL '])}SELECT ${b} FROM one`,
      `SELECT x1 + 1, count(x1) FROM (SELECT ts, ${a} AS x1 ${plain}) GROUP BY x1`,
      `SELECT INTERP(${left}) FROM ${table} RANGE(${firstTime - 1000}, ${firstTime + 3000}) EVERY(500a) FILL(${this.#pick(['PREV', 'LINEAR', 'NULL'])})`,
    ]);
  }

  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  #call(list: readonly string[], depth: number): string {
    return this.#filled(this.#pick(list), depth);
  }

  /** An expression of any kind. */
  #any(depth: number): string {
    return this.#chance(0.05) ? this.#pick(everyLiteral) : this.#of(this.#pick(kinds), depth);
  }

  #of(kind: Kind, depth: number): string {
    if (depth > 0 && this.#chance(0.8)) return this.#call(shapes[kind], depth);
    if (this.#chance(0.04)) return 'NULL';
    return this.#pick(this.#chance(0.7) ? columns[kind] : literals[kind]);
  }

  #filled(shape: string, depth: number): string {
    return shape.replace(/\b[NTMGXAILUC]\b/g, (letter) => {
      switch (letter) {
        case 'A':
          return this.#any(depth - 1);
        case 'C':
          return this.#condition(depth - 1);
        case 'I':
          return this.#pick(wholes);
        case 'L':
          return this.#pick(literals.text);
        case 'U':
          return this.#pick(units);
        default:
          return this.#chance(0.03) ? this.#any(depth - 1) : this.#of(letters[letter] ?? 'number', depth - 1);
      }
    });
  }

  #condition(depth: number): string {
    const kind = this.#pick(kinds);
    const side = (): string => (this.#chance(0.75) ? this.#of(kind, depth - 1) : this.#any(depth - 1));
    const own = literals[kind];
    const text = this.#of('text', depth - 1);
    const all = [
      `${side()} ${this.#pick(['=', '<>', '<', '<=', '>', '>='])} ${side()}`,
      `${side()} ${this.#pick(['=', '<'])} ${side()}`,
      `${side()} ${this.#pick(['IN', 'NOT IN'])} (${side()}, ${this.#pick(own)}, ${this.#pick(own)})`,
      `${side()} BETWEEN ${side()} AND ${side()}`,
      `${text} ${this.#pick(['LIKE', 'NOT LIKE', 'MATCH', 'NMATCH'])} ${this.#pick(["'a%'", "'^a'", "'('", text])}`,
      `${side()} IS ${this.#pick(['', 'NOT '])}NULL`,
      `${side()} IN (SELECT ${side()} FROM one)`,
    ];
    if (depth > 1)
      all.push(
        `NOT (${this.#condition(depth - 1)})`,
        `(${this.#condition(depth - 1)}) OR (${this.#condition(depth - 1)})`,
      );
    return this.#pick(all);
  }
}
