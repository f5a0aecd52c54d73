import type { ServerText } from '#server/core/coded-message';
import { nameText, serverText } from '#server/core/messages/server-text';
import { type SiteDocumentKey, siteDocumentKeys } from '#server/core/site/changes';

/** What a change or a call is about. */
interface Target {
  readonly type: string;
  readonly title: string;
}

const documentTypes: ReadonlySet<string> = new Set(siteDocumentKeys);
const isDocument = (type: string): type is SiteDocumentKey => documentTypes.has(type);

/** The name of a target: the title that people gave it, or our name of the menu, the settings or the standing instructions. */
export function targetName({ type, title }: Target): string | ServerText {
  return isDocument(type) ? nameText('document', type) : title;
}

/** The names of several targets in one text; null without any. */
export function targetNames(targets: readonly Target[]): string | ServerText | null {
  const names = targets.map(targetName);
  if (names.length <= 1) return names[0] ?? null;
  const texts = names.filter((name) => typeof name === 'string');
  return texts.length === names.length ? texts.join(', ') : serverText('audit-targets', { targets: names });
}
