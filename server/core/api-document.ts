import type { JsonValue } from '#server/core/json';

/* The parts of OpenAPI 3.1 that our document uses. */

/** A JSON Schema, limited to what zod generates. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: ApiSchema;
  readonly prefixItems?: readonly ApiSchema[];
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
  readonly allOf?: readonly ApiSchema[];
  readonly additionalProperties?: ApiSchema | boolean;
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly default?: JsonValue;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
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
  readonly example?: string;
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
  readonly description?: string;
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
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** Operations by path and method (in lower case). */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}
