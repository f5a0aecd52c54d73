import { z } from 'zod';
import { jsonValueSchema, type JsonValue } from '#server/core/json';
import type { RemoteAbility } from '#server/core/site/remote-site';
import type { SiteConnector } from '#server/wordpress/client/site-connector';

/*
 * The Abilities API of WordPress 6.9 (`wp-abilities/v1`): functions that plugins offer, with JSON Schemas of their
 * input and output. Its rules are those of the controllers WP_REST_Abilities_V1_List_Controller and
 * WP_REST_Abilities_V1_Run_Controller in wp-includes/rest-api/endpoints.
 */

const NAMESPACE = 'wp-abilities/v1';
const ROUTE = `/${NAMESPACE}/abilities`;
/** Largest page of the list. */
const PER_PAGE = 100;
/** Largest number of abilities that are accepted, because each becomes a tool. A choice, not measured. */
const MAX_ABILITIES = 200;
/** Longest schema, as JSON; characters. A choice, not measured. */
const MAX_SCHEMA = 50_000;

/** PHP writes an empty list if there are no fields. */
const schemaObject = z
  .record(z.string(), z.unknown())
  .refine((schema) => JSON.stringify(schema).length <= MAX_SCHEMA)
  .catch({});
const flag = z.boolean().nullish().catch(null);

const abilitySchema = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9-]+(?:\/[a-z0-9-]+)+$/)
    .max(200),
  label: z.string().catch(''),
  description: z.string().catch(''),
  input_schema: schemaObject,
  output_schema: schemaObject,
  meta: z
    .object({
      annotations: z.object({ readonly: flag, destructive: flag, idempotent: flag }).catch({}),
    })
    .catch({ annotations: {} }),
});

/** The one method that WordPress accepts for an ability, by its annotations; any other gets a 405. */
function methodOf({ annotations }: z.infer<typeof abilitySchema>['meta']): RemoteAbility['method'] {
  if (annotations.readonly === true) return 'GET';
  return annotations.destructive === true && annotations.idempotent === true ? 'DELETE' : 'POST';
}

/** `input[sizes][0]=s`, as PHP reads nested values from a query. */
function inQuery(name: string, value: JsonValue | undefined): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => inQuery(`${name}[${key}]`, inner));
}

/** Lists and runs the abilities of a site. */
export interface Abilities {
  /** Abilities that the connected user sees; empty if the site has no such API. */
  list(signal?: AbortSignal): Promise<RemoteAbility[]>;
  /** Runs an ability and returns its output. @param input undefined for an ability without input */
  run(ability: RemoteAbility, input: JsonValue | undefined, signal?: AbortSignal): Promise<JsonValue>;
}

/** The abilities of a site, over its REST API. */
export function createAbilities(site: SiteConnector): Abilities {
  return {
    async list(signal) {
      const { namespaces } = await site.index();
      if (!namespaces.includes(NAMESPACE)) return [];
      const found = new Map<string, RemoteAbility>();
      for (let page = 1, pages = 1; page <= pages && found.size < MAX_ABILITIES; page += 1) {
        const query = { per_page: PER_PAGE, page };
        const request = { query, schema: z.array(z.unknown()), what: 'abilities', signal };
        const { value, headers } = await site.ask(ROUTE, request);
        pages = Number(headers.get('x-wp-totalpages') ?? 1);
        // An invalid ability does not hide the others.
        for (const { data } of value.map((item) => abilitySchema.safeParse(item))) {
          if (data === undefined || found.size >= MAX_ABILITIES) continue;
          const { name, label, description, input_schema: input, output_schema: output, meta } = data;
          const isDestructive = meta.annotations.destructive === true;
          found.set(name, { name, label, description, input, output, method: methodOf(meta), isDestructive });
        }
      }
      return [...found.values()];
    },
    async run({ name, method }, input, signal) {
      const isQuery = method !== 'POST';
      const { value } = await site.ask(`${ROUTE}/${name}/run`, {
        method,
        ...(isQuery && { query: Object.fromEntries(inQuery('input', input)) }),
        ...(!isQuery && { body: input === undefined ? {} : { input } }),
        schema: jsonValueSchema,
        what: `ability ${name}`,
        signal,
      });
      return value;
    },
  };
}
