import type { ModelMessage } from 'ai';
import type { Transcript } from '#tests/bench/context/transcript';
import { countTokens } from '#server/context/tokens';
import { randomNumbers } from '#tests/support/random-numbers';

/** Output tokens per token of the user, as in an order lookup: the user's text is a small part of all. */
const LOOKUP_LINES = 28;

const PEOPLE = [
  'Ines Kowalski',
  'Jonas Weber',
  'Amélie Fournier',
  'Tariq Haddad',
  'Sofia Lindqvist',
  'Marta Novak',
  'Oskar Brandt',
  'Yuki Tanaka',
];
const THINGS = [
  'tea bowl',
  'soup plate',
  'butter dish',
  'vase',
  'espresso cup',
  'fruit bowl',
  'milk jug',
  'candle holder',
];
const GLAZES = ['ash grey', 'celadon', 'iron red', 'cobalt', 'oat white', 'tenmoku', 'copper green', 'shino'];
const TROUBLES = [
  'arrived with a chip at the rim, right where one drinks',
  'has not arrived, and tracking has said "in delivery" for nine days',
  'is another colour than in the shop, and it was meant to match an older set',
  'came twice, so one of them should go back without any cost for the customer',
  'has a hairline crack that shows only when there is something hot in it',
  'was sent to an old address, although the new one stood in the order',
  'was a present, and the receipt with the price lay in the parcel',
  'leaks a little through the foot and left a mark on a wooden table',
];
const WISHES = [
  'Offer a new one or the money back, whichever they like, and keep it short.',
  'Ask for a picture first, and do not promise anything before we have seen it.',
  'Send a new one today with the fast parcel service and write that we are sorry.',
  'Give fifteen percent on the next order, but only if they do not ask for money.',
  'Answer in their language, politely, and without our usual closing words.',
  'Find out whether others of the same firing have the trouble, then write to all.',
  'Take the shipping on us this once, and note it in the file for the accountant.',
];
const EXTRAS = [
  'She has been a customer since the market in spring, so be generous.',
  'He wrote in capitals, stay calm about it.',
  'Mind that the studio is closed next week.',
  'The old case about the saucers is settled, leave that out.',
  'This is the third time for this person, look at what we did before.',
];

/**
 * Support cases in sequence: each a short request, a look at the order, an answer. The same seed gives the same
 * conversation, in which no two requests are alike.
 * @param wordTokens tokens of all requests together
 */
export function supportTranscript(wordTokens: number, seed: number): Transcript {
  const random = randomNumbers(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const messages: ModelMessage[] = [];
  let tokens = 0;
  let cases = 0;
  while (tokens < wordTokens) {
    cases += 1;
    const order = `ORD-${10_000 + Math.floor(random() * 90_000)}`;
    const [person, thing, glaze] = [pick(PEOPLE), pick(THINGS), pick(GLAZES)];
    const request =
      `Case ${cases}: ${person} writes about order ${order}. The ${thing} in ${glaze} ${pick(TROUBLES)}. ` +
      `${pick(WISHES)} ${pick(EXTRAS)} It was ${Math.floor(20 + random() * 180)}.50 Euro, paid on the ${1 + Math.floor(random() * 28)}th.`;
    tokens += countTokens(request);
    messages.push({ role: 'user', content: request }, ...workOn(cases, order, `${thing} in ${glaze}`, random));
    messages.push({
      role: 'assistant',
      content: `I wrote to ${person} about the ${thing}, as you asked, and filed it under ${order}. ${pick(['It is with the parcel service now.', 'They will hear from us again on Monday.', 'Nothing else is open in this case.'])}`,
    });
  }
  // The last one is asked for, and not answered yet.
  messages.push(
    { role: 'user', content: 'Which of these cases are still open?' },
    { role: 'assistant', content: 'I look.' },
  );
  return {
    name: `support-${Math.round(wordTokens / 1_000)}k`,
    from: `generated: ${cases} support cases with ${tokens.toLocaleString('en-US')} tokens of requests, seed ${seed}`,
    messages,
    windows: [32_000],
  };
}

function workOn(number: number, order: string, thing: string, random: () => number): ModelMessage[] {
  const events = Array.from({ length: LOOKUP_LINES }, (_, line) => {
    const parcel = Math.floor(random() * 1e9).toString(36);
    return `${line + 1}. ${['packed', 'weighed', 'labelled', 'scanned', 'sorted', 'loaded'][Math.floor(random() * 6)]} as parcel ${parcel}, belt ${Math.floor(random() * 40)}`;
  });
  const call = (id: string, toolName: string, input: Record<string, string>, value: string): ModelMessage[] => [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName, output: { type: 'text', value } }] },
  ];
  return [
    ...call(`look_${number}`, 'get_order', { order }, `Order ${order}: one ${thing}.\n${events.join('\n')}`),
    ...call(`send_${number}`, 'send_mail', { order, template: 'plain' }, 'Sent.'),
  ];
}
