import { allows, type Scope } from '#server/core/principal';
import { isToolFor, type Toolbox } from '#server/tools/tool';

type Reach = 'nothing' | 'reads' | 'drafts';

/** A toolbox never changes, so neither does what is left of it: requests begin with the same bytes. */
const made = new WeakMap<Toolbox, Map<Reach, Toolbox>>();

/** What of a toolbox is offered for somebody who may do no more than this; it still finds all, to say why one does not run. */
export function toolboxOfScopes(toolbox: Toolbox, scopes: readonly Scope[]): Toolbox {
  if (allows(scopes, 'content:write')) return toolbox;
  const canRead = allows(scopes, 'content:read');
  const reach = allows(scopes, 'content:draft') ? 'drafts' : canRead ? 'reads' : 'nothing';
  const known = made.get(toolbox) ?? new Map<Reach, Toolbox>();
  made.set(toolbox, known);
  const present = known.get(reach) ?? { ...toolbox, tools: toolbox.tools.filter((tool) => isToolFor(scopes, tool)) };
  known.set(reach, present);
  return present;
}
