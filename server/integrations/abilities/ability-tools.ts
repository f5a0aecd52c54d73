import { z } from 'zod';
import { countTokens } from '#server/context/tokens';
import type { ChangeOrigin } from '#server/core/site/changes';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { RemoteAbility } from '#server/core/site/remote-site';
import { modelNames } from '#server/integrations/mcp-client/model-names';
import { toInputSchema, toolDescription } from '#server/integrations/mcp-client/mcp-tool';
import { defineForModel, defineTool, type Tool } from '#server/tools/tool';
import type { AbilityOutcome } from '#server/site/connected-content';

/** A tool of a connected site, offered only in conversations about that site. */
export interface SiteTool {
  readonly tool: Tool;
  readonly siteId: string;
  /** Token count of its definition. */
  readonly tokens: number;
  readonly isOff: false;
}

/** Runs an ability of a site. */
type RunAbility = (
  ability: RemoteAbility,
  input: JsonValue | undefined,
  origin: ChangeOrigin,
  signal: AbortSignal,
) => Promise<AbilityOutcome>;

/** Any object: the site validates it with its own schema and reports problems. */
const anyObject = z.record(z.string(), jsonValueSchema);

/** Name of the field that wraps an input that is not an object, because a tool's input must be one. */
const VALUE = 'input';

/** Maximum number of changes that a result lists. */
const MAX_CHANGES = 20;

/**
 * Wraps the abilities of a site's plugins (WordPress's Abilities API) as tools. All of them require approval, no matter how
 * the site describes them. An administrator can allow one by its name, which is specific to this site.
 */
export function siteTools(siteId: string, abilities: readonly RemoteAbility[], run: RunAbility): readonly SiteTool[] {
  const names = modelNames(
    siteId,
    abilities.map(({ name }) => name),
  );
  return abilities.map((ability) => {
    const { name, label, description } = ability;
    const kind = inputKind(ability);
    const tool = defineTool({
      name: names.get(name)!,
      description: toolDescription(label === '' || label === description ? description : `${label}: ${description}`),
      input: anyObject,
      inputSchema: toInputSchema(kind === 'value' ? valueSchema(ability) : ability.input),
      // What a site claims about its functions must not relax any right.
      writes: true,
      isElsewhere: true,
      policy: 'ask',
      async execute(input, { origin, signal }) {
        const given = kind === 'none' ? undefined : kind === 'value' ? input[VALUE] : input;
        return toResult(ability, await run(ability, given, origin, signal));
      },
    });
    const tokens = countTokens(JSON.stringify({ type: 'function', ...defineForModel(tool) }));
    return { tool, siteId, tokens, isOff: false };
  });
}

/** Whether an ability takes no input, an object, or another value. */
function inputKind({ input }: RemoteAbility): 'none' | 'object' | 'value' {
  if (Object.keys(input).length === 0) return 'none';
  const { type = 'object' } = input;
  return type === 'object' || (Array.isArray(type) && type.includes('object')) ? 'object' : 'value';
}

/** The schema of a tool whose only field contains the value. */
function valueSchema({ input }: RemoteAbility): Record<string, unknown> {
  return { type: 'object', properties: { [VALUE]: input }, required: [VALUE] };
}

/** The result for the model: what the ability returned, and what it changed. */
function toResult({ method }: RemoteAbility, { result, changes, isRead }: AbilityOutcome): JsonValue {
  if (method === 'GET') return { result };
  const listed = changes
    .slice(0, MAX_CHANGES)
    .map(({ id, targetId, title, summary }) => ({ changeId: id, id: targetId, title, did: summary }));
  return {
    result,
    ...(listed.length > 0 && { changed: listed }),
    ...(changes.length > MAX_CHANGES && { more: changes.length - MAX_CHANGES }),
    ...(!isRead && { note: 'The site could not be read afterwards: what it changed shows with the next reading.' }),
    ...(isRead &&
      changes.length === 0 && {
        note: 'Nothing that is copied here changed. If it changed something else on the site, the history here does not have it and undo cannot take it back.',
      }),
  };
}
