import { createHash } from 'node:crypto';
import { boundary, excerptsOf } from '#server/site/text/text-excerpts';
import type { FieldChange, TextExcerpt } from '#server/core/site/changes';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import type { ToolEffect } from '#server/core/conversation/tool-effect';

/* The effect of a call as an approval stores and shows it. All lengths are in characters. */

/** A changed text up to this length is stored whole, a longer one as excerpts around its differences. */
const WHOLE_TEXT = 600;
/** Hex digits of a digest: 128 bits. */
const DIGEST_LENGTH = 32;
/** Largest complete effect, as JSON: it is stored and sent as one piece. */
const MAX_EFFECT = 4_000_000;

/** Limits of the differences that are shown before a person opens the complete difference. */
const SHOWN_PER_CHANGE = 4_000;
const SHOWN_IN_ALL = 40_000;
const MAX_CHANGES = 100;
const MAX_REFERENCES = 30;
const MAX_WARNINGS = 20;
const MAX_LINE = 600;

/** The effect with a digest of all of it: effects with the same digest are equal. */
export function withDigest({ digest: _, ...effect }: ToolEffect): ToolEffect {
  const digest = createHash('sha256').update(JSON.stringify(effect)).digest('hex').slice(0, DIGEST_LENGTH);
  return { ...effect, digest };
}

function completeChange(change: FieldChange): FieldChange {
  const { before, after } = change;
  if (typeof before !== 'string' || typeof after !== 'string') return change;
  if (Math.max(before.length, after.length) <= WHOLE_TEXT) return change;
  const excerpts = excerptsOf(before, after);
  const said = (version: 'before' | 'after') => excerpts.map((excerpt) => excerpt[version]).join(GAP);
  return { ...change, before: said('before'), after: said('after'), excerpts };
}

/** Replaces unchanged text between two excerpts, for readers of only `before` and `after`. */
const GAP = ' […] ';

/**
 * The effect as stored with an approval: every difference, of long texts as excerpts, and a digest of all of it.
 * @throws InvalidInputError if it is too large to be shown
 */
export function completeEffect(effect: ToolEffect): ToolEffect {
  const complete = { ...effect, changes: effect.changes.map(completeChange) };
  if (JSON.stringify(complete).length > MAX_EFFECT)
    throw new InvalidInputError(
      'Not done: this changes more than can be shown for approval at once. Make the change in smaller parts.',
    );
  return withDigest(complete);
}

/** Cuts texts once an allowance is used up, and counts the omitted characters. */
class Allowance {
  omitted = 0;
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  text(text: string): string {
    const end = boundary(text, Math.min(text.length, Math.max(0, this.#left)));
    this.#left -= end;
    this.omitted += text.length - end;
    return end === text.length ? text : `${text.slice(0, end)}…`;
  }

  value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.value(inner)]));
    const shown: JsonValue[] = [];
    for (const item of value) {
      if (this.#left > 0) shown.push(this.value(item));
      else this.omitted += JSON.stringify(item).length;
    }
    return shown;
  }
}

/** The change within an allowance of characters; omitted characters are counted. */
function shownChange(change: FieldChange, most: number): FieldChange {
  if (change.excerpts === undefined) {
    const allowance = new Allowance(most);
    // The new value matters most.
    const after = allowance.value(change.after);
    const before = allowance.value(change.before);
    const { omitted: characters } = allowance;
    return { ...change, before, after, ...(characters > 0 && { omitted: { differences: 0, characters } }) };
  }
  const excerpts: TextExcerpt[] = [];
  let [used, characters] = [0, 0];
  for (const excerpt of change.excerpts) {
    const length = excerpt.before.length + excerpt.after.length;
    if (used + length <= most) {
      excerpts.push(excerpt);
      used += length;
      continue;
    }
    if (excerpts.length > 0) break;
    const halves = [new Allowance(most / 2), new Allowance(most / 2)] as const;
    excerpts.push({ ...excerpt, before: halves[0].text(excerpt.before), after: halves[1].text(excerpt.after) });
    characters = halves[0].omitted + halves[1].omitted;
    break;
  }
  const differences = change.excerpts.length - excerpts.length;
  const rest = change.excerpts.slice(excerpts.length);
  characters += rest.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
  return {
    ...change,
    before: excerpts.map(({ before }) => before).join(GAP),
    after: excerpts.map(({ after }) => after).join(GAP),
    excerpts,
    ...(characters > 0 && { omitted: { differences, characters } }),
  };
}

const cutLine = (text: string) => new Allowance(MAX_LINE).text(text);

/** The effect in a size that can be shown in one piece; omissions are counted. Its targets are complete. */
export function shownEffect(effect: ToolEffect): ToolEffect {
  const { summary, targets, changes, references, warnings, notices } = effect;
  const shown: FieldChange[] = [];
  let left = SHOWN_IN_ALL;
  for (const change of changes.slice(0, MAX_CHANGES)) {
    if (left <= 0) break;
    const one = shownChange(change, Math.min(left, SHOWN_PER_CHANGE));
    shown.push(one);
    left -= JSON.stringify([one.before, one.after]).length;
  }
  const omitted = {
    changes: changes.length - shown.length,
    references: Math.max(0, references.length - MAX_REFERENCES),
    warnings: Math.max(0, warnings.length - MAX_WARNINGS),
  };
  return {
    ...effect,
    summary: cutLine(summary),
    targets: targets.map((target) => ({ ...target, title: cutLine(target.title) })),
    changes: shown,
    references: references.slice(0, MAX_REFERENCES).map((each) => ({ ...each, text: cutLine(each.text) })),
    warnings: warnings.slice(0, MAX_WARNINGS).map(cutLine),
    ...(notices && { notices: notices.slice(0, MAX_WARNINGS) }),
    ...(Object.values(omitted).some((count) => count > 0) && { omitted }),
  };
}

/** A call with its effect in a size that can be shown in one piece. */
export function withShownEffect<Call extends { readonly effect: ToolEffect | null }>(call: Call): Call {
  return call.effect === null ? call : { ...call, effect: shownEffect(call.effect) };
}
