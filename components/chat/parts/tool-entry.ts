import type { ChatMessage } from '#components/api/chat-message.ts';
import { field, textField, type ToolCall, toolCallOf } from '#components/chat/parts/tool-call.ts';
import type { EntryType } from '#server/core/site/content';

/** A page or post that a tool call is about. */
export interface EntryRef {
  readonly type: EntryType;
  readonly slug: string;
  readonly title: string;
}

/** Tools that change what visitors or editors see; after one of them the preview is outdated. */
const writeTools = new Set([
  'create_content',
  'update_content',
  'delete_content',
  'publish_content',
  'unpublish_content',
  'edit_text',
  'add_section',
  'update_section',
  'edit_items',
  'move_section',
  'remove_section',
  'add_media',
  'update_media',
  'remember_instruction',
  'set_navigation',
  'set_settings',
  'set_design',
  'undo',
]);

/** The entry of a tool result, if the result is about exactly one. */
export function entryOf(call: ToolCall): EntryRef | null {
  if (call.state !== 'done') return null;
  const entries = field(call.output, 'entries');
  const of = Array.isArray(entries) && entries.length === 1 ? (entries[0] as unknown) : call.output;
  const type = textField(of, 'type') ?? textField(of, 'target');
  const slug = textField(of, 'slug');
  if ((type === 'page' || type === 'post') && slug) return { type, slug, title: textField(of, 'title') ?? slug };
  return null;
}

/** The section that a call has written, to be marked; empty if the call removed a section or wrote none. */
export function sectionsOfCall(call: ToolCall): readonly string[] {
  const id = call.state === 'done' && writeTools.has(call.name) ? textField(call.output, 'sectionId') : undefined;
  return id === undefined || call.name === 'remove_section' ? [] : [id];
}

/** A finished change to the site. */
export interface SiteWrite {
  /** Unique in a conversation; ids of tool calls are not, because some model servers repeat them. */
  readonly id: string;
  /** Null for navigation and settings. */
  readonly entry: EntryRef | null;
  /** Sections of the entry that the same answer wrote and that still exist, newest first. */
  readonly sectionIds: readonly string[];
  /** The entry was deleted, so no page can be shown. */
  readonly isGone: boolean;
}

/** The newest change in the transcript; null if it has none. */
export function latestWrite(messages: readonly ChatMessage[]): SiteWrite | null {
  for (const message of messages.toReversed()) {
    const writes = writesOf(message);
    const call = writes[0];
    if (!call) continue;
    const entry = entryOf(call);
    return {
      id: `${message.id}/${call.id}`,
      entry,
      sectionIds: sectionsOf(entry, writes),
      isGone: call.name === 'delete_content' && entry !== null,
    };
  }
  return null;
}

/** Number of changes to the site in a message. */
export function countWrites(message: ChatMessage): number {
  return writesOf(message).length;
}

/** Finished changes of one answer, newest first. */
function writesOf({ parts }: ChatMessage): ToolCall[] {
  return parts
    .map(toolCallOf)
    .filter((call) => call?.state === 'done' && writeTools.has(call.name) && field(call.input, 'dryRun') !== true)
    .toReversed() as ToolCall[];
}

function sectionsOf(entry: EntryRef | null, writes: readonly ToolCall[]): string[] {
  const removed = new Set<string>();
  const written = new Set<string>();
  for (const call of writes) {
    const { type, slug } = entryOf(call) ?? {};
    const id = textField(call.output, 'sectionId');
    if (id === undefined || type !== entry?.type || slug !== entry?.slug) continue;
    if (call.name === 'remove_section') removed.add(id);
    else if (!removed.has(id)) written.add(id);
  }
  return [...written];
}
