import { isBinding } from '#server/context/kept/standing-instructions';

/** Of the words of an instruction that one message of the user has to hold: a summarizer may put it in its own words. */
const LEAST_SHARE = 0.5;
const WORDS = /\p{L}[\p{L}\p{N}@.-]{2,}/gu;
/** They tell who said it and that it binds, not what it is. */
const FRAME =
  /^(?:the|and|user|editor|wants?|asked|asks|prefers?|preference|said|says|always|never|must|should|not|don[’']?t|avoid|from|now|every|with|for|that|any|all)$/;

/**
 * Whether a summarizer may tell this of the user's preferences. What binds later work has to come from the user: a page, a
 * file or a tool that says "always ..." gives no instruction, and a summary makes none of it.
 * @param requests the user's messages
 */
export function isHeardFromUser(remark: string, requests: readonly string[]): boolean {
  if (!isBinding(remark)) return true;
  const words = wordsOf(remark).filter((word) => !FRAME.test(word));
  return requests.some((request) => {
    const said = new Set(wordsOf(request));
    return words.filter((word) => said.has(word)).length >= words.length * LEAST_SHARE;
  });
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(WORDS) ?? []).map((word) => word.replace(/[.-]+$/, ''));
}
