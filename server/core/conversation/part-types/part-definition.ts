import type { z } from 'zod';

/**
 * What the product knows of a type of part. Only `content` is required: what is left out does not exist for the type, or
 * needs more than the content (the results of calls, marks of pruning, bytes of files) and is at the place of its use.
 */
export interface PartDefinition<Schema extends z.ZodType, Shown extends boolean = boolean> {
  /** Content as it is stored in `message_parts.content`. Older rows must stay valid. */
  readonly content: Schema;
  /** Text for search and for `recall_output`. */
  readonly searchText?: (content: z.infer<Schema>) => string;
  /** Texts that a model reads of it. Their tokens are counted, and those of the call's id if it has one. */
  readonly modelTexts?: (content: z.infer<Schema>) => readonly string[];
  /**
   * Instead of `modelTexts`, a text that a model reads in tags before the user's words. `tag` is protected in all
   * texts of others (foreignText), and `text` is made safe. Null: nothing to read. Counted as environment context.
   */
  readonly added?: {
    readonly tag: string;
    readonly text: (content: z.infer<Schema>) => string | null;
    /** True: the writer of a summary reads it too. */
    readonly isSummarized?: boolean;
  };
  /** What the writer of a summary reads. @param cut shortens a text in its middle */
  readonly summaryText?: (content: z.infer<Schema>, cut: (text: string) => string) => string;
  /** What the exact record of a compaction keeps: a label and what follows it. Null: nothing. @param name shortens a name */
  readonly recordEntry?: (
    content: z.infer<Schema>,
    name: (text: string) => string,
  ) => readonly [label: string, text: string] | null;
  /** Markdown for people in an exported conversation. */
  readonly exportText?: (content: z.infer<Schema>) => string;
  /** True: the engine writes it, so an import leaves it out. */
  readonly isFromEngine?: boolean;
  /** True: the chat shows its content with a view in `blockViews` (components/chat/transcript/message-block). */
  readonly isShown?: Shown;
}

/** Defines a type of part. */
export function definePart<Schema extends z.ZodType, Shown extends boolean = false>(
  definition: PartDefinition<Schema, Shown>,
): PartDefinition<Schema, Shown> {
  return definition;
}
