import type { JsonValue } from '#server/core/json';

/* The parts of OpenAPI 3.0 that our document uses. */

/** A schema, limited to what `StrictSchemas` writes. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
  readonly allOf?: readonly ApiSchema[];
  /** The field that tells the members of `oneOf` apart, with the schema for each value. */
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly additionalProperties?: ApiSchema | boolean;
  readonly enum?: readonly JsonValue[];
  readonly default?: JsonValue;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A parameter of an operation. */
export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: ApiSchema;
  readonly example?: JsonValue;
}

/** The content of a request or response, by media type. */
export type ApiContent = Readonly<
  Record<
    string,
    {
      readonly schema: ApiSchema;
      readonly example?: JsonValue;
      /** Data of each event of a stream, by event name. */
      readonly 'x-events'?: Readonly<Record<string, ApiSchema>>;
    }
  >
>;

/** A response of an operation. */
export interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: ApiSchema }>>;
  readonly content?: ApiContent;
}

/** One method of one path. */
export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  /** Right that the caller needs: a scope, or `signed-in`, `person`, `public`. */
  readonly 'x-access': string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: ApiContent;
  };
  readonly responses: Readonly<Record<string, ApiResponse | { readonly $ref: string }>>;
}

/** The whole document. */
export interface ApiDocument {
  readonly openapi: '3.0.3';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly url: string };
    readonly contact: { readonly name: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Operations by path and method (in lower case). */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    /** Absent in local mode. */
    readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
