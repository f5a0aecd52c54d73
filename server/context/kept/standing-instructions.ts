import { splitCoalescedText } from '#server/core/coalesced-text';
import { type Sentence, splitSentences } from '#server/context/kept/split-sentences';

/** Binds all later work. */
const BINDING =
  /\b(?:always|never|from now on|going forward|from here on|in (?:the )?future|at all times|every time|each time|whenever|do(?:n[’']t| not) ever|must(?:n[’']t| not)? (?:always|never|not|be|have|use)|should(?:n[’']t| not| never| always)|only use|use only|stick (?:to|with)|remember (?:that|to)|keep in mind|make sure)\b/i;
/** Turns something down. */
const REJECTING =
  /\b(?:(?:please )?(?:do(?:n[’']t| not)) (?!(?:know|think|understand|remember|see|worry|mind|forget|hesitate|you|we|they)\b)\w+|i (?:really )?(?:do(?:n[’']t| not)|did(?:n[’']t| not)) (?:like|want|need|care for)|i (?:hate|dislike|prefer)|i(?:[’']d| would) (?:rather|prefer)|stop \w+ing|instead of|rather than|avoid|no more|not like that|get rid of)\b|^no[,.!] |^not (?:that|this|so|like)\b/i;
/** Asks for a quality, of one thing or of all of them. */
const SHAPING =
  /\bmake (?:it|them|this|that|these|those|everything|all|the (?:tone|style|texts?|wording|colou?rs?|headings?|copy))\b/i;

/** `never mind`, `as always`: not instructions, for all their words. */
const IDIOM = /\bnever ?mind\b|\b(?:as|than|like|has|have|had|was|were|is|are|been) (?:always|never)\b/gi;
/** A question asks to be answered, unless it is a request in polite form. */
const POLITE_REQUEST = /^(?:please |and |also |so |ok(?:ay)?,? )?(?:can|could|will|would) you\b/i;

/** A longer "sentence" is pasted content that happens to hold such a word. */
const MAX_CHARS = 400;
/** What is quoted inside an instruction may make it longer, up to here. */
const MAX_CHARS_WITH_QUOTES = 1_000;

const FENCED = /^ {0,3}(`{3,20}|~{3,20})/;
/** A line that announces content: everything under it is not said to the assistant. */
const ANNOUNCES_CONTENT =
  /\b(?:text|content|copy|article|body|story|paragraphs?|letter|e-?mail|transcript|draft|version|following|this|says?|reads?)\b[^:]{0,60}:$/i;
const ANNOUNCES_RULES =
  /\b(?:rules?|guidelines?|preferences?|instructions?|style|remember|always|never|from now on)\b/i;
/** Further paragraphs under such a line belong to the content when they are at least this long. */
const LONG_PARAGRAPH_CHARS = 200;

/**
 * Sentences of a user's message that bind later work: "always", "never", "from now on", what to make of things, and
 * what was turned down; verbatim. Not questions, and nothing from code, quotations or pasted content. Items of a list
 * under a line that says such a thing carry that line in front; messages that waited and became one are read one by one.
 */
export function standingInstructions(message: string): string[] {
  return splitCoalescedText(message)
    .flatMap(ownParagraphs)
    .flatMap((paragraph) => {
      const lead = leadOf(paragraph);
      return splitSentences(lead === null ? paragraph : paragraph.slice(paragraph.indexOf('\n') + 1))
        .map(({ text, unquoted }): Sentence =>
          lead === null ? { text, unquoted } : { text: `${lead} ${text}`, unquoted: `${lead} ${unquoted}` },
        )
        .filter(isStanding)
        .map(({ text }) => text);
    });
}

/** Of instructions, whether it holds for good: the last to be left out where room is short. */
export function isBinding(instruction: string): boolean {
  return BINDING.test(instruction) || REJECTING.test(instruction);
}

function isStanding({ text, unquoted }: Sentence): boolean {
  if (unquoted.length > MAX_CHARS || text.length > MAX_CHARS_WITH_QUOTES) return false;
  const said = unquoted.replaceAll(IDIOM, ' ');
  if (/\?[)"'”’\]]{0,3}$/.test(unquoted) && !POLITE_REQUEST.test(unquoted)) return false;
  return BINDING.test(said) || REJECTING.test(said) || SHAPING.test(said);
}

/** `From now on:` in front of a list. */
function leadOf(paragraph: string): string | null {
  const [first = '', ...rest] = paragraph.split('\n');
  const lead = first.trim();
  const isLead = rest.length > 0 && lead.length <= 120 && lead.endsWith(':');
  return isLead && isStanding({ text: lead, unquoted: lead }) ? lead : null;
}

/** What the user says, paragraph by paragraph, without code, quoted lines and announced content. */
function ownParagraphs(message: string): string[] {
  const own: string[] = [];
  let content: 'none' | 'next' | 'going-on' = 'none';
  for (const paragraph of withoutCode(message).split(/\n\s{0,200}\n/)) {
    if (content === 'next' || (content === 'going-on' && paragraph.length >= LONG_PARAGRAPH_CHARS)) {
      content = 'going-on';
      continue;
    }
    const lines = paragraph.split('\n');
    const announced = lines.findIndex(announcesContent);
    own.push((announced === -1 ? lines : lines.slice(0, announced + 1)).join('\n'));
    if (announced === -1) content = 'none';
    else content = announced === lines.length - 1 ? 'next' : 'going-on';
  }
  return own;
}

function announcesContent(line: string): boolean {
  const short = line.trim().slice(-200);
  return ANNOUNCES_CONTENT.test(short) && !ANNOUNCES_RULES.test(short);
}

/** Without fenced code, to the end where a fence is never closed, and without lines quoted by `>`. */
function withoutCode(message: string): string {
  let fence: string | null = null;
  const kept: string[] = [];
  for (const line of message.replaceAll(/\r\n?/g, '\n').split('\n')) {
    const [, mark] = FENCED.exec(line) ?? [];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== undefined) fence = mark;
    else if (!/^\s{0,3}>/.test(line)) kept.push(line);
  }
  return kept.join('\n');
}
