import { z } from 'zod';
import type {
  ApiContent,
  ApiDocument,
  ApiOperation,
  ApiParameter,
  ApiResponse,
  ApiSchema,
} from '#server/core/api-document';
import type { JsonValue } from '#server/core/json';
import { components, json } from '#server/core/shapes';
import { codedMessageSchema } from '#server/core/coded-message';
import { statusOfError } from '#server/http/error-response';
import { bodyLimitsOf, bytesBody } from '#server/http/read-body';
import { parameterNames } from '#server/http/parse-request';
import { SITE_NAME } from '#server/http/request-site';
import type { RouteSpec } from '#server/http/route';
import { areaOf, areas } from '#server/http/openapi/api-areas';
import { SchemaWriter } from '#server/http/openapi/schema-writer';
import { answersOf, type ContentAnswer } from '#server/http/schemas/route-answer';

type Spec = RouteSpec<unknown, unknown, unknown>;

/** A route with the data that its documentation needs. */
export interface ApiRoute {
  readonly method: string;
  /** With parameters in OpenAPI notation: `/api/sessions/{id}`. */
  readonly path: string;
  readonly spec: Spec;
  readonly example?: ApiExample | undefined;
}

/** Example of a request and its responses, for the documentation. */
export interface ApiExample {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonValue | undefined;
  /** Bodies of the responses, by status. */
  readonly answers?: Readonly<Record<string, JsonValue>> | undefined;
}

const DESCRIPTION = [
  'Everything that Throughline does, for other programs. An API key goes into the header `Authorization: Bearer tl_…`;',
  'in local mode, on the machine itself, none is needed. Times are epoch milliseconds. Lists come in pages:',
  '`nextCursor` is the `cursor` of the next one. Fields that are not known are refused in requests;',
  'answers may get new ones. Too many requests are refused with 429 and `Retry-After`.',
].join(' ');

/**
 * Describes all routes in one OpenAPI 3.0 document. Pure: the same routes give the same text.
 * @param version of the app
 * @throws Error if a request or response has no name, or if a name stands for two schemas
 */
export function openApiDocument(routes: readonly ApiRoute[], version: string): ApiDocument {
  const writer = new SchemaWriter();
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const each of routes.toSorted(byAddress)) {
    (paths[each.path] ??= {})[each.method.toLowerCase()] = operationOf(each, writer);
  }
  const used = new Set(routes.map(({ path }) => areaOf(path)));
  const responses = errorResponses(writer);
  const { document, schemas } = writer.finish({ paths, responses });
  return {
    openapi: '3.0.3',
    info: {
      title: 'Throughline',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      contact: { name: 'The administrator of this server' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: areas.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
    paths: document.paths,
    components: { schemas, responses: usedResponses(document), securitySchemes: SECURITY_SCHEMES },
  };
}

/** The operations of a document, and the responses that they may refer to. */
interface DocumentPaths {
  readonly paths: ApiDocument['paths'];
  readonly responses: ApiDocument['components']['responses'];
}

/** The responses to which an operation refers. */
function usedResponses({ paths, responses }: DocumentPaths) {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(responses).filter(([name]) => text.includes(`/responses/${name}"`)));
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `tl_…`, made in the settings.' },
  signIn: {
    type: 'apiKey',
    in: 'cookie',
    name: 'throughline.session_token',
    description:
      'A browser. What is no GET, and every call that signs in, has to say which page it comes from: `Origin`, with the address of this server.',
  },
};

/** The document for local mode, in which nobody signs in and no key is needed. */
export function withoutSecurity({ paths, components: parts, ...document }: ApiDocument): ApiDocument {
  const open = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, { ...operation, security: [] }])),
  ]);
  const { securitySchemes: _, ...rest } = parts;
  return { ...document, paths: Object.fromEntries(open) as ApiDocument['paths'], components: rest };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Order of the operations: by area, path and method. */
function byAddress(a: ApiRoute, b: ApiRoute): number {
  const order = (path: string) => areas.findIndex(({ name }) => name === areaOf(path));
  if (a.path === b.path) return METHODS.indexOf(a.method) - METHODS.indexOf(b.method);
  return order(a.path) - order(b.path) || (a.path < b.path ? -1 : 1);
}

function operationOf({ method, path, spec, example }: ApiRoute, writer: SchemaWriter): ApiOperation {
  const parameters = [
    ...parametersOf(spec.params, 'path', example?.params, writer),
    ...parametersOf(spec.query, 'query', example?.query, writer),
    ...(spec.access === 'public' ? [] : [SITE_PARAMETER]),
    ...(acceptsIfMatch(spec) ? [IF_MATCH_PARAMETER] : []),
  ];
  const id = operationId(method, path);
  return {
    operationId: id,
    summary: spec.summary,
    description: `${spec.summary}. ${ACCESS_SENTENCES[spec.access] ?? `Needs the right \`${spec.access}\``}.`,
    tags: [areaOf(path)],
    'x-access': spec.access,
    security: securityOf(spec.access),
    ...(parameters.length > 0 && { parameters }),
    ...(spec.body && { requestBody: requestBody(spec, example?.body, writer) }),
    responses: { ...successes(id, spec, example?.answers, writer), ...errorResponsesOf(method, path, spec) },
  };
}

/** Rights that are no scopes, in a sentence. */
const ACCESS_SENTENCES: Readonly<Record<string, string>> = {
  public: 'Open to everybody',
  'signed-in': 'Open to every caller with a key or a sign-in',
  person: 'For people who have signed in, not for API keys',
  editor: 'For editors and administrators who have signed in, not for API keys',
  administrator: 'For administrators who have signed in, not for API keys',
};

/** Every request of an authenticated caller may name its site. */
const SITE_PARAMETER: ApiParameter = {
  name: SITE_NAME,
  in: 'header',
  required: false,
  description:
    'Id of the site that it is about (`GET /api/sites`); the query may say it, too. Default: the standard one',
  schema: { type: 'string' },
};

const IF_MATCH_PARAMETER: ApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` that you have read. As `ifRevision`, refused with 412 where the revision is another one by now',
  schema: { type: 'string' },
};

/** True for a write that can be limited to one revision. */
function acceptsIfMatch({ query }: Spec): boolean {
  return parameterNames(query)?.includes('ifRevision') === true;
}

/** Unique name of an operation for generated clients, for example `getSessionsByIdMessages`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/(api\/)?/, '')
    .split(/[/.-]/)
    .map((word) =>
      word.replace(/^\{(\w)(\w*)\}$/, (_, first: string, rest: string) => `By${first.toUpperCase()}${rest}`),
    )
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + words.join('');
}

function securityOf(access: Spec['access']): ApiOperation['security'] {
  if (access === 'public') return [];
  if (access === 'person' || access === 'editor' || access === 'administrator') return [{ signIn: [] }];
  return [{ apiKey: [] }, { signIn: [] }];
}

function parametersOf(
  schema: z.ZodType | undefined,
  where: 'path' | 'query',
  examples: ApiExample['query'],
  writer: SchemaWriter,
): ApiParameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = writer.write(schema, 'input');
  return Object.entries(properties).map(([name, { description = PARAMETER_DESCRIPTIONS[name], ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    // The rest of a path is an array of segments.
    schema: where === 'path' && rest.items ? rest.items : rest,
    ...(examples?.[name] !== undefined && { example: exampleValue(rest, examples[name]) }),
  }));
}

/** Descriptions of parameters that mean the same in every route. */
const PARAMETER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'Id of the thing that the path names',
  sessionId: 'Id of a session',
  approvalId: 'Id of an approval',
  compactionId: 'Id of a compaction',
  wishId: 'Id of a kept preference',
  collection: 'Pages or posts',
  name: 'Name of a type',
  limit: 'Maximum number of items',
  cursor: '`nextCursor` of the page before',
  q: 'Text to search for',
  text: 'Text that the items contain',
  tag: 'Only items with this tag',
  state: 'Only items in this state',
  status: 'Only items with this status',
  sort: 'Property to sort by',
  order: 'Direction of the sorting',
  missingAlt: '`1`: only pictures without a description',
  filename: 'Name of the file',
  alt: 'What the picture shows, for people who cannot see it',
  size: 'The full picture, or its thumbnail',
  targetId: 'Only changes of this entry, picture or document',
  targetType: 'Only changes of this kind of target',
  turnId: 'Only changes of this turn',
  actor: 'Only changes by this kind of author',
  action: 'Only entries about this action',
  userId: 'Only entries about actions of this user',
  kind: 'Kind of the items',
  by: 'What the rows stand for',
  format: 'Format of the answer',
  modelId: 'Id of a model',
  site: 'Id of a site',
  email: 'Email address of a person',
  unread: '`1`: only unread items',
  all: '`1`: the keys of everybody, for administrators',
};

/** The example of a parameter in the type of its schema. */
function exampleValue({ type }: ApiSchema, text: string): JsonValue {
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

function requestBody({ body, ...spec }: Spec, example: JsonValue | undefined, writer: SchemaWriter) {
  const { bytes, values } = bodyLimitsOf(spec);
  const description = `At most ${bytes.toLocaleString('en-US')} bytes`;
  if (!body || body === bytesBody) {
    const { mediaTypes = [] } = spec;
    if (mediaTypes.length === 0) throw new Error(`"${spec.summary}" declares no media type of its body.`);
    return {
      required: true,
      description: `The file as it is. ${description}.`,
      content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: BINARY }])),
    };
  }
  return {
    required: !body.safeParse(undefined).success,
    description: `${description} and ${values.toLocaleString('en-US')} JSON values.`,
    content: jsonContent(named(writer.write(body, 'input'), spec), example),
  };
}

const BINARY: ApiSchema = { type: 'string', format: 'binary' };

/** The schema of a request or response, which must have a name. @throws Error */
function named(schema: ApiSchema, { summary }: { readonly summary: string }): ApiSchema {
  if (schema.$ref === undefined) throw new Error(`A request or response of "${summary}" has no name.`);
  return schema;
}

const TAG = { description: 'The `revision`, in quotes, for `If-Match`.', schema: { type: 'string' } } as const;

/** Descriptions of successful responses that declare none. */
const DEFAULT_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Kept for later.',
  204: 'Done; there is nothing to tell.',
};

function successes(
  id: string,
  spec: Spec,
  examples: ApiExample['answers'],
  writer: SchemaWriter,
): Record<string, ApiResponse> {
  const answers = [...answersOf(spec.answer)].map(([status, kinds]): [number, ApiResponse] => {
    const hasTag =
      id.startsWith('get') && kinds.some((kind) => kind instanceof z.ZodObject && 'revision' in kind.shape);
    const contents = kinds.map((kind): ApiContent => {
      if (kind === null) return {};
      if (!(kind instanceof z.ZodType)) return contentOf(kind, id, writer);
      return jsonContent(named(writer.write(kind, 'output'), spec), examples?.[status]);
    });
    const descriptions = kinds.flatMap((kind) =>
      kind && 'description' in kind && kind.description ? [kind.description] : [],
    );
    const content: ApiContent = Object.assign({}, ...contents);
    const description = descriptions.join(' ') || (DEFAULT_DESCRIPTIONS[status] ?? 'Done.');
    const shown = Object.keys(content).length > 0 && { content };
    return [status, { description, ...(hasTag && { headers: { ETag: TAG } }), ...shown }];
  });
  return Object.fromEntries(answers);
}

function contentOf({ contentType, description, events }: ContentAnswer, id: string, writer: SchemaWriter): ApiContent {
  const idName = id.charAt(0).toUpperCase() + id.slice(1);
  if (events) {
    const written = Object.entries(events).map(([name, data]): [string, ApiSchema] => [
      name,
      writer.write(data, 'output', eventName(name)),
    ]);
    const data = [...new Map(written.map(([, each]) => [each.$ref, each])).values()];
    const schema = data.length === 1 && data[0] ? data[0] : writer.union(`${idName}Event`, data, 'Data of one event');
    return { [contentType]: { schema, 'x-events': Object.fromEntries(written) } };
  }
  if (contentType.endsWith('json')) {
    const name = `${idName}File`;
    return { [contentType]: { schema: writer.write(z.looseObject({}).describe(description), 'output', name) } };
  }
  return { [contentType]: { schema: contentType.startsWith('text/') ? { type: 'string' } : BINARY } };
}

/** Name of the schema of an event's data: `TurnEndEvent`. */
function eventName(name: string): string {
  const words = name.split(/\W/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

function jsonContent(schema: ApiSchema, example?: JsonValue): ApiContent {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

/** Descriptions of the error responses, by status. */
const ERROR_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'The request is not right; `details.issues` says where.',
  401: 'Nobody has signed in, and there is no valid API key.',
  402: 'A budget is used up: no paid model is called.',
  403: 'Known, but not allowed.',
  404: 'There is no such thing, or it is somebody else’s.',
  408: 'The body did not arrive in time.',
  409: 'It does not go with what is there: changed meanwhile, taken, or already under way.',
  412: 'The revision is not the one that `If-Match` names any more.',
  413: 'A body, message or file above its limit.',
  415: 'A kind of file that is not taken.',
  422: 'It cannot be done: more than the model takes, or a tool has failed.',
  429: 'Too many requests, turns or waiting messages.',
  500: 'A fault of ours.',
  502: 'The provider of the model, or the connected site, has failed.',
  503: 'Busy or stopping; the same request is worth another try.',
};

const RETRY_AFTER = {
  description: 'Seconds until another try is worth it.',
  schema: { type: 'integer', format: 'int32', minimum: 1 },
};

/** All error responses of /api. */
const errorSchema = z
  .strictObject({
    error: z
      .strictObject({
        code: z.string().describe('What a program can go by'),
        message: z.string().describe('What a person can read'),
        reason: codedMessageSchema.optional().describe('`message` as data, where it has a code of its own'),
        details: json.optional().describe('Further facts, whose form depends on `code`; absent: none'),
      })
      .describe('What went wrong'),
  })
  .register(components, { id: 'ApiError' });

/** All error responses of /v1, in OpenAI's format. */
const openAiErrorSchema = z
  .strictObject({
    error: z
      .strictObject({
        message: z.string().describe('What a person can read'),
        type: z.string().describe('Class of the error, such as `invalid_request_error`'),
        param: z.string().nullable().describe('Field of the request that is wrong; null: none in particular'),
        code: z.string().nullable().describe('What a program can go by; null: only `type` says it'),
      })
      .describe('What went wrong'),
  })
  .register(components, { id: 'OpenAiError' });

/** All error responses of /v1/messages, in Anthropic's format. */
const anthropicErrorSchema = z
  .strictObject({
    type: z.literal('error'),
    error: z.strictObject({ type: z.string(), message: z.string() }),
  })
  .register(components, { id: 'AnthropicError' });

/** The error formats, each with the addresses that use it: the first that matches. */
const ERROR_FORMATS = [
  { prefix: 'Anthropic', schema: anthropicErrorSchema, paths: /^\/v1\/messages\b/ },
  { prefix: 'OpenAi', schema: openAiErrorSchema, paths: /^\/v1\// },
  { prefix: '', schema: errorSchema, paths: /^/ },
];

/** The error responses of the document, each described once. */
function errorResponses(writer: SchemaWriter): Record<string, ApiResponse> {
  const codes = Object.entries({ ...statusOfError, internal_error: 500 });
  const found = ERROR_FORMATS.flatMap(({ prefix, schema }) => {
    const written = writer.write(schema, 'output');
    return Object.entries(ERROR_DESCRIPTIONS).map(([status, text]): [string, ApiResponse] => {
      const ofStatus = codes.flatMap(([code, of]) => (of === Number(status) ? [`\`${code}\``] : []));
      return [
        `${prefix}Error${status}`,
        {
          description: prefix === '' ? `${text} Code: ${ofStatus.join(', ')}.` : text,
          ...(['429', '503'].includes(status) && { headers: { 'Retry-After': RETRY_AFTER } }),
          content: jsonContent(written),
        },
      ];
    });
  });
  return Object.fromEntries(found);
}

/** Routes that need accounts: in local mode they answer 409. */
const ACCOUNT_ROUTES = /^\/api\/(?:auth|users)\b/;

/** Error responses of a route. Those that depend on models or tools are listed for every write. */
function errorResponsesOf(method: string, path: string, spec: Spec) {
  const { access, params, query, body, startsTurn } = spec;
  const isWrite = method !== 'GET';
  const statuses = new Set([429, 500, 503]);
  const add = (...more: number[]) => more.forEach((status) => statuses.add(status));
  // The site that a request names may not exist, and neither may what its body names.
  if (access !== 'public') add(401, 403, 404);
  if (params ?? query ?? body) add(400);
  if (params ?? query) add(404);
  // The body of such a request proves the sender's identity, and it comes from one of our own pages.
  if (access === 'public' && isWrite) add(401, 403);
  if (ACCOUNT_ROUTES.test(path)) add(409);
  if (startsTurn) add(402);
  if (isWrite && !spec.ignoresBody) add(408);
  if (body === bytesBody) add(415);
  if (acceptsIfMatch(spec)) add(412);
  // An invalid body or parameter is refused.
  if (isWrite) add(400, 409, 413, 422, 502);
  const prefix = ERROR_FORMATS.find(({ paths }) => paths.test(path))?.prefix ?? '';
  const refs = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => [String(status), { $ref: `#/components/responses/${prefix}Error${status}` }]);
  return Object.fromEntries(refs) as Record<string, { readonly $ref: string }>;
}
