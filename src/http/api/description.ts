/** Names of the types of JSON Schema. */
type SchemaType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** A JSON Schema (draft 2020-12), as much of it as the descriptions use. */
export interface Schema {
  /** Name of a shared schema, as `#/components/schemas/<name>`. */
  readonly $ref?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number | boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly contentEncoding?: string;
  readonly examples?: readonly unknown[];
}

/** One parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  /** Always true in a path. */
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
}

/** A whole number in the query string; both bounds are allowed values. */
export interface IntegerParameter extends Parameter {
  readonly in: 'query';
  readonly schema: Schema & { readonly type: 'integer'; readonly minimum: number; readonly maximum: number };
}

/** One of a few words in the query string. */
export interface WordParameter<W extends string> extends Parameter {
  readonly in: 'query';
  readonly schema: Omit<Schema, 'enum'> & { readonly type: 'string'; readonly enum: readonly W[] };
}

/** A text in the query string, not empty; the length is counted in UTF-16 units, as JSON Schema's readers do in JavaScript. */
export interface TextParameter extends Parameter {
  readonly in: 'query';
  readonly schema: Schema & { readonly type: 'string'; readonly maxLength: number };
}

/** Bodies by their media type. */
type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

/** A request body. */
interface RequestBody {
  readonly description: string;
  readonly required: boolean;
  readonly content: Content;
}

/** Answer with one status. */
export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly content?: Content;
}

/** Ways to send credentials; an empty list means that none are needed. */
export type SecurityScheme = 'basic' | 'bearer' | 'custom' | 'lineprotoUser' | 'lineprotoPassword' | 'influxToken';

/** Groups of operations. */
type Tag =
  | 'SQL'
  | 'WebSocket'
  | 'PromQL'
  | 'Writes'
  | 'Metrics system'
  | 'Event Resource'
  | 'Rules'
  | 'Documents'
  | 'Service';

/** Description of one operation for OpenAPI 3.1; the method and the path stand in the route. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [Tag];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  /** By status. */
  readonly responses: Readonly<Record<string, Answer>>;
  /** Any entry of the list will do; all schemes of an entry are needed together. */
  readonly security: readonly Readonly<Partial<Record<SecurityScheme, readonly []>>>[];
}
