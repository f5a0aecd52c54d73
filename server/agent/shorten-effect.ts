import type { FieldChange } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import type { ToolEffect } from '#server/core/tool-effect';

/** What a person reads before he decides; the whole is in the preview. Characters of one value, numbers of lines. */
const VALUE_CHARS = 600;
const MAX_CHANGES = 30;
const MAX_REFERENCES = 30;
const MAX_WARNINGS = 20;

/** The effect in a size that can be stored and shown; what was left out is counted. Its targets are all there. */
export function shortenEffect(effect: ToolEffect): ToolEffect {
  const { summary, targets, changes, references, warnings } = effect;
  const left = [
    leftOut(changes.length - MAX_CHANGES, 'more change is not listed.', 'more changes are not listed.'),
    leftOut(references.length - MAX_REFERENCES, 'more reference is not listed.', 'more references are not listed.'),
  ].flat();
  return {
    summary: cut(summary),
    targets: targets.map((target) => ({ ...target, title: cut(target.title) })),
    changes: changes.slice(0, MAX_CHANGES).map(shortenChange),
    references: references.slice(0, MAX_REFERENCES).map((reference) => ({ ...reference, text: cut(reference.text) })),
    warnings: [...warnings.slice(0, MAX_WARNINGS).map(cut), ...left],
  };
}

function leftOut(count: number, one: string, several: string): string[] {
  return count > 0 ? [`${count} ${count === 1 ? one : several}`] : [];
}

function shortenChange(change: FieldChange): FieldChange {
  return { ...change, before: shortenValue(change.before), after: shortenValue(change.after) };
}

function shortenValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cut(value);
  const text = JSON.stringify(value);
  return text.length <= VALUE_CHARS ? value : cut(text);
}

function cut(text: string): string {
  return text.length <= VALUE_CHARS ? text : `${text.slice(0, VALUE_CHARS - 1).toWellFormed()}…`;
}
