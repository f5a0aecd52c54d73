import { textField, toolCallOf } from '#lib/tool-call';
import type { ChatMessage } from '#lib/chat-message';
import type { ToolCall } from '#lib/tool-call';
import type { EntryType } from '#server/core/content';

/** A page or post that a tool call is about. */
export interface EntryRef {
  readonly type: EntryType;
  readonly slug: string;
  readonly title: string;
}

/** Tools that change what visitors or editors see; after one of them the preview is stale. */
const writeTools = new Set([
  'create_content',
  'update_content',
  'delete_content',
  'publish_content',
  'unpublish_content',
  'add_section',
  'update_section',
  'move_section',
  'remove_section',
  'set_navigation',
  'set_settings',
  'undo',
]);

/** The entry named by a tool's result, when the result is about exactly one. */
export function entryOf(call: ToolCall): EntryRef | null {
  if (call.state !== 'done') return null;
  const type = textField(call.output, 'type') ?? textField(call.output, 'target');
  const slug = textField(call.output, 'slug');
  if ((type === 'page' || type === 'post') && slug)
    return { type, slug, title: textField(call.output, 'title') ?? slug };
  return null;
}

/** A finished change to the site. */
export interface SiteWrite {
  readonly toolCallId: string;
  /** Null for navigation and settings. */
  readonly entry: EntryRef | null;
  /** The section that was written, when it was one and is still there. */
  readonly sectionId: string | null;
  /** The entry was deleted: there is nothing left to show. */
  readonly isGone: boolean;
}

/** The newest change that the transcript shows, or null when there is none. */
export function latestWrite(messages: readonly ChatMessage[]): SiteWrite | null {
  for (const message of messages.toReversed()) {
    for (const part of message.parts.toReversed()) {
      const call = toolCallOf(part);
      if (call?.state !== 'done' || !writeTools.has(call.name)) continue;
      return {
        toolCallId: call.id,
        entry: entryOf(call),
        sectionId: call.name === 'remove_section' ? null : (textField(call.output, 'sectionId') ?? null),
        isGone: call.name === 'delete_content',
      };
    }
  }
  return null;
}
