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
import { statusOfError } from '#server/http/error-response';
import { BODY_LIMIT, bytesBody, namesIn } from '#server/http/parse-request';
import { type RouteSpec, SITE_NAME } from '#server/http/route';
import { answersOf, type ContentAnswer } from '#server/http/schemas/answer';

type Spec = RouteSpec<unknown, unknown, unknown>;

/** A route as its document needs it. */
export interface ApiRoute {
  readonly method: string;
  /** With its parameters as OpenAPI writes them: `/api/sessions/{id}`. */
  readonly path: string;
  readonly spec: Spec;
  readonly example?: ApiExample | undefined;
}

/** A request that works, and what came back. */
export interface ApiExample {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: JsonValue | undefined;
  /** By status. */
  readonly answers?: Readonly<Record<string, JsonValue>> | undefined;
}

const DESCRIPTION = [
  'Everything that Throughline does, for other programs. An API key goes into the header `Authorization: Bearer tl_…`;',
  'in local mode, on the machine itself, none is needed. Times are epoch milliseconds. Lists come in pages:',
  '`nextCursor` is the `cursor` of the next one. Fields that are not known are refused in requests;',
  'answers may get new ones. Too many requests are refused with 429 and `Retry-After`.',
].join(' ');

/** All routes as one OpenAPI 3.1 document. Pure: the same routes give the same text. */
export function openApiDocument(routes: readonly ApiRoute[], version: string): ApiDocument {
  const writer = new SchemaWriter();
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const each of routes.toSorted(byAddress)) {
    (paths[each.path] ??= {})[each.method.toLowerCase()] = operationOf(each, writer);
  }
  const used = new Set(routes.map(({ path }) => areaOf(path)));
  const responses = refusals(writer);
  return {
    openapi: '3.1.1',
    info: { title: 'Throughline', version, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: areas.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: writer.named(),
      responses,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `tl_…`, made in the settings.' },
        signIn: {
          type: 'apiKey',
          in: 'cookie',
          name: 'throughline.session_token',
          description:
            'A browser. What is no GET, and every call that signs in, has to say which page it comes from: `Origin`, with the address of this server.',
        },
      },
    },
  };
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

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
    ...(goesByRevision(spec) ? [MATCH_PARAMETER] : []),
  ];
  return {
    operationId: operationId(method, path),
    summary: spec.summary,
    tags: [areaOf(path)],
    'x-access': spec.access,
    security: securityOf(spec.access),
    ...(parameters.length > 0 && { parameters }),
    ...(spec.body && { requestBody: requestBody(spec, example?.body, writer) }),
    responses: { ...successes(method, spec, example?.answers, writer), ...refusalsOf(method, path, spec) },
  };
}

/** Any request of somebody who is known may name its site. */
const SITE_PARAMETER: ApiParameter = {
  name: SITE_NAME,
  in: 'header',
  required: false,
  description:
    'Id of the site that it is about (`GET /api/sites`); the query may say it, too. Default: the standard one',
  schema: { type: 'string' },
};

const MATCH_PARAMETER: ApiParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` that you have read. As `ifRevision`, refused with 412 where the revision is another one by now',
  schema: { type: 'string' },
};

function goesByRevision({ query }: Spec): boolean {
  return namesIn(query)?.includes('ifRevision') === true;
}

/** `getSessionsByIdMessages` */
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
  return [{ apiKey: access === 'signed-in' ? [] : [access] }, { signIn: [] }];
}

function parametersOf(
  schema: z.ZodType | undefined,
  where: 'path' | 'query',
  examples: ApiExample['query'],
  writer: SchemaWriter,
): ApiParameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = writer.write(schema, 'input');
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    // The rest of an address comes in pieces.
    schema: where === 'path' && rest.items ? rest.items : rest,
    ...(examples?.[name] !== undefined && { example: examples[name] }),
  }));
}

function requestBody({ body, bodyLimit = BODY_LIMIT }: Spec, example: JsonValue | undefined, writer: SchemaWriter) {
  const description = `At most ${bodyLimit.toLocaleString('en-US')} bytes.`;
  if (!body || body === bytesBody) {
    return {
      required: true,
      description: `The file as it is. ${description}`,
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    };
  }
  return {
    required: !body.safeParse(undefined).success,
    description,
    content: {
      'application/json': { schema: writer.write(body, 'input'), ...(example !== undefined && { example }) },
    },
  };
}

const TAG = { description: 'The `revision`, in quotes, for `If-Match`.', schema: { type: 'string' } } as const;

const REASONS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'Kept for later.',
  204: 'Done; there is nothing to tell.',
};

function successes(
  method: string,
  spec: Spec,
  examples: ApiExample['answers'],
  writer: SchemaWriter,
): Record<string, ApiResponse> {
  const answers = [...answersOf(spec.answer)].map(([status, kinds]): [number, ApiResponse] => {
    const hasTag = method === 'GET' && kinds.some((kind) => kind instanceof z.ZodObject && 'revision' in kind.shape);
    const contents = kinds.map((kind): ApiContent => {
      if (kind === null) return {};
      if (!(kind instanceof z.ZodType)) return contentOf(kind, writer);
      return jsonContent(writer.write(kind, 'output'), examples?.[status]);
    });
    const told = kinds.flatMap((kind) => (kind && 'description' in kind && kind.description ? [kind.description] : []));
    const content: ApiContent = Object.assign({}, ...contents);
    const description = told.join(' ') || (REASONS[status] ?? 'Done.');
    const shown = Object.keys(content).length > 0 && { content };
    return [status, { description, ...(hasTag && { headers: { ETag: TAG } }), ...shown }];
  });
  return Object.fromEntries(answers);
}

function contentOf({ contentType, events }: ContentAnswer, writer: SchemaWriter): ApiContent {
  if (!events) return { [contentType]: { schema: { type: contentType.endsWith('json') ? 'object' : 'string' } } };
  const written = Object.entries(events).map(([name, data]) => [name, writer.write(data, 'output')]);
  return { [contentType]: { schema: { type: 'string' }, 'x-events': Object.fromEntries(written) } };
}

function jsonContent(schema: ApiSchema, example?: JsonValue): ApiContent {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

/** Meaning of each status of a refusal. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is not right; `details.issues` says where.',
  401: 'Nobody has signed in, and there is no valid API key.',
  403: 'Known, but not allowed.',
  404: 'There is no such thing, or it is somebody else’s.',
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

const RETRY_AFTER = { description: 'Seconds until another try is worth it.', schema: { type: 'integer', minimum: 1 } };

/** Every refusal of /api. */
const errorSchema = z
  .strictObject({
    error: z.strictObject({
      code: z.string().describe('What a program can go by'),
      message: z.string().describe('What a person can read'),
      details: json.optional(),
    }),
  })
  .register(components, { id: 'Error' });

/** Every refusal of /v1, in the shape of OpenAI. */
const openAiErrorSchema = z
  .strictObject({
    error: z.strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .register(components, { id: 'OpenAiError' });

/** The two shapes of refusals: ours, and that of OpenAI below /v1. */
const SHAPES = [
  { prefix: '', name: 'Error', schema: errorSchema },
  { prefix: 'OpenAi', name: 'OpenAiError', schema: openAiErrorSchema },
];

function refusals(writer: SchemaWriter): Record<string, ApiResponse> {
  const codes = Object.entries({ ...statusOfError, internal_error: 500 });
  const found = SHAPES.flatMap(({ prefix, name, schema }) => {
    writer.write(schema, 'output');
    return Object.entries(REFUSALS).map(([status, text]): [string, ApiResponse] => {
      const ofStatus = codes.flatMap(([code, of]) => (of === Number(status) ? [`\`${code}\``] : []));
      return [
        `${prefix}Error${status}`,
        {
          description: prefix === '' ? `${text} Code: ${ofStatus.join(', ')}.` : text,
          ...(['429', '503'].includes(status) && { headers: { 'Retry-After': RETRY_AFTER } }),
          content: jsonContent({ $ref: refTo(name) }),
        },
      ];
    });
  });
  return Object.fromEntries(found);
}

/** Routes of accounts: without accounts they answer 409. */
const OF_ACCOUNTS = /^\/api\/(?:auth|users)\b/;

/** Refusals of a route; those that depend on models or tools are listed for every write. */
function refusalsOf(method: string, path: string, spec: Spec) {
  const { access, params, query, body } = spec;
  const isWrite = method !== 'GET';
  const statuses = new Set([429, 500, 503]);
  const add = (...more: number[]) => more.forEach((status) => statuses.add(status));
  // The site that a request names may be missing, as may what its body names.
  if (access !== 'public') add(401, 403, 404);
  if (params ?? query ?? body) add(400);
  if (params ?? query) add(404);
  // Whoever sends one proves in its body who they are, from a page of ours.
  if (access === 'public' && isWrite) add(401, 403);
  if (OF_ACCOUNTS.test(path)) add(409);
  if (body === bytesBody) add(415);
  if (goesByRevision(spec)) add(412);
  // A body or a parameter that it does not take is refused.
  if (isWrite) add(400, 409, 413, 422, 502);
  const prefix = path.startsWith('/v1/') ? 'OpenAi' : '';
  const refs = [...statuses]
    .toSorted((a, b) => a - b)
    .map((status) => [String(status), { $ref: `#/components/responses/${prefix}Error${status}` }]);
  return Object.fromEntries(refs) as Record<string, { readonly $ref: string }>;
}

/** A part of the API, with the addresses that belong to it: the first area that fits has them. */
interface Area {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

/** In the order of the reference. */
const areas: readonly Area[] = [
  {
    name: 'Chat',
    description: 'Send a message, follow the answer, stop it, decide what waits for approval.',
    paths: /^\/api\/(chat|message|models|attachments|approvals)\b|^\/api\/sessions\/\{id\}\/(approvals|attachments)/,
  },
  {
    name: 'Context',
    description: 'What fills the window of the model, and how room is made in it.',
    paths: /^\/api\/sessions\/\{id\}\/(context|prepare|prune|compact)/,
  },
  { name: 'Sessions', description: 'Conversations and all that was said in them.', paths: /^\/api\/sessions/ },
  { name: 'Media', description: 'The pictures of the site.', paths: /^\/api\/content\/media/ },
  {
    name: 'Content',
    description: 'Pages, posts, navigation and settings of the site, with every change of them.',
    paths: /^\/api\/content/,
  },
  { name: 'Submissions', description: 'What visitors sent by the forms of the site.', paths: /^\/api\/submissions/ },
  {
    name: 'OpenAI',
    description:
      'The wire format of OpenAI, for clients that know it; a conversation never outgrows the model’s window.',
    paths: /^\/v1\b/,
  },
  {
    name: 'Access',
    description: 'Signing in, people, API keys and what waits to be agreed to.',
    paths: /^\/api\/(auth|users|keys|call-requests)\b/,
  },
  { name: 'Settings', description: 'Models, limits, tools and sites.', paths: /^\/api\/settings/ },
  { name: 'Administration', description: 'All sessions, and who did what.', paths: /^\/api\/admin/ },
  { name: 'Service', description: 'Whether it runs, and this document.', paths: /^/ },
];

/** The name of the area that an address belongs to. */
function areaOf(path: string): string {
  return areas.find(({ paths }) => paths.test(path))?.name ?? 'Service';
}

/** Descriptions of schemas (`describe`) and their names in the document. */
const metadata = {
  get: (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), ...components.get(schema) }),
  has: () => true,
} as unknown as typeof components;

/** zod writes the largest safe integers as the bounds of every whole number. */
const BOUNDS = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function tidy({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  // A client has to live with a field that is new in an answer; that unknown fields are refused, bodies say in words.
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
  for (const [name, bound] of Object.entries(BOUNDS)) if (jsonSchema[name] === bound) delete jsonSchema[name];
}

/**
 * Turns zod schemas into JSON Schemas for one document; what has a name is described once.
 */
class SchemaWriter {
  readonly #named = new Map<string, string>();

  /**
   * @param io `input`: what a client sends; `output`: what it is sent
   * @throws Error where a name stands for two shapes, or a schema that contains itself has none
   */
  write(schema: z.ZodType, io: 'input' | 'output'): ApiSchema {
    const written = z.toJSONSchema(schema, { io, metadata, unrepresentable: 'any', override: tidy });
    const { $schema: _, $defs = {}, ...root } = written;
    for (const [name, named] of Object.entries($defs)) this.#keep(name, named);
    return this.#linked(root);
  }

  /** Everything that has a name, in the order of names. */
  named(): Record<string, ApiSchema> {
    const entries = [...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([name, text]) => [name, JSON.parse(text) as ApiSchema]));
  }

  #keep(name: string, schema: unknown): void {
    if (name.startsWith('__')) throw new Error(`A schema that contains itself needs a name: ${JSON.stringify(schema)}`);
    const text = JSON.stringify(this.#linked(schema));
    if ((this.#named.get(name) ?? text) !== text) throw new Error(`"${name}" stands for two shapes.`);
    this.#named.set(name, text);
  }

  #linked(schema: unknown): ApiSchema {
    const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
    return JSON.parse(text) as ApiSchema;
  }
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}
