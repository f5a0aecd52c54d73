import type { EntryType, SectionType, SiteSettings } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** Fields of a section as a tool takes them. */
export type Fields = Record<string, JsonValue>;

/** Which of several sections of one type: 0 is the first, -1 the last. */
export type Ordinal = number;

export type Detail = 'title' | 'slug' | 'excerpt' | 'author' | 'tags' | 'image';

/** What a list request can name. */
export type Listable = 'pages' | 'posts' | 'navigation' | 'settings';

/**
 * One clause, understood. `ref` is a page or post as the user named it; `it` stands for the one spoken of last.
 */
export type Request =
  | {
      readonly intent: 'create';
      readonly type: EntryType;
      readonly title: string;
      readonly about?: string;
      readonly text?: string;
      readonly details: Partial<Record<Detail, JsonValue>>;
    }
  | {
      readonly intent: 'add-section';
      readonly ref: string;
      readonly type: SectionType;
      readonly fields: Fields;
      readonly position?: number;
    }
  | {
      readonly intent: 'change-section';
      readonly ref: string;
      readonly type?: SectionType;
      readonly ordinal: Ordinal;
      readonly label: string;
      readonly value: string;
    }
  | { readonly intent: 'add-item'; readonly ref: string; readonly type: 'faq' | 'features'; readonly item: Fields }
  | {
      readonly intent: 'move-section';
      readonly ref: string;
      readonly type: SectionType;
      readonly ordinal: Ordinal;
      /** From 1; -1 is last. */
      readonly position: number;
    }
  | { readonly intent: 'remove-section'; readonly ref: string; readonly type: SectionType; readonly ordinal: Ordinal }
  | { readonly intent: 'change-detail'; readonly ref: string; readonly detail: Detail; readonly value: JsonValue }
  | { readonly intent: 'delete' | 'unpublish' | 'show'; readonly ref: string }
  | { readonly intent: 'publish'; readonly ref: string; /** As the tool takes it. */ readonly at?: string }
  | { readonly intent: 'planned' }
  | { readonly intent: 'list'; readonly what: readonly Listable[] }
  | { readonly intent: 'find'; readonly query: string; readonly type?: EntryType }
  | { readonly intent: 'add-to-navigation'; readonly name: string; readonly label?: string }
  | { readonly intent: 'remove-from-navigation'; readonly name: string }
  | { readonly intent: 'change-setting'; readonly setting: keyof SiteSettings; readonly value: string }
  | { readonly intent: 'undo'; readonly changeId?: string; readonly times: number }
  | { readonly intent: 'changes'; readonly ref?: string }
  | { readonly intent: 'section-types' }
  | { readonly intent: 'recall'; readonly id: string }
  | { readonly intent: 'standing'; readonly text: string }
  | { readonly intent: 'remember'; readonly text: string }
  | { readonly intent: 'standing-list' | 'done-so-far' | 'first-request' | 'help' | 'greeting' }
  | { readonly intent: 'unknown'; readonly text: string };

export type IntentName = Request['intent'];
/** The request of this intent; several intents can share one shape. */
export type RequestOf<Name extends IntentName> = Request extends infer Each extends Request
  ? Each extends Request
    ? Name extends Each['intent']
      ? Each
      : never
    : never
  : never;
