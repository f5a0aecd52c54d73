import { APICallError } from 'ai';
import { classifyProviderError } from '#server/conversation/step/provider-errors';
import type { StepOutcome } from '#server/conversation/step/stream-processor';
import { TurnProgress } from '#server/conversation/turn/next-step';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import germanMessages from '#messages/de.json' with { type: 'json' };
import { localizedText, refusalText } from '#components/message-text.ts';
import { validateEntry } from '#server/site/validate-entry';
import { defaultSettings } from '#server/context/settings/context-settings';
import { serverText } from '#server/core/messages/server-text';
import { tools } from '#server/tools/index';
import { messagePaths } from '#tests/support/icu-messages';
import { testEntry } from '#tests/support/test-entry';

beforeAll(async () => setLanguage(await loadLanguage('de')));
afterAll(async () => setLanguage(await loadLanguage('en')));

it('writes quotation marks and counts as German does', () => {
  for (const [path, text] of messagePaths(germanMessages)) expect(text, path).not.toMatch(/[”’‘]/);
});

describe('an answer that ended early', () => {
  const outcome: StepOutcome = {
    calls: [],
    finishReason: 'length',
    usage: null,
    status: 'complete',
    error: undefined,
    hasContent: true,
    hasThoughts: false,
    wasCut: false,
    isRepeating: false,
    lastText: 'The bowl',
    droppedCall: null,
    cutCalls: [],
  };
  const toolbox = { tools, find: (name: string) => tools.find((tool) => tool.name === name) };

  it.each<[string, Partial<StepOutcome>]>([
    ['at the longest output', {}],
    ['at the longest output of thoughts', { lastText: '' }],
    ['in a call that is too long', { droppedCall: 'edit_text', finishReason: 'stop' }],
    ['at a full server', { endedByServer: true }],
    ['at a filter', { finishReason: 'content-filter' }],
    ['in a call that cannot be read', { finishReason: 'error' }],
    ['in thoughts', { finishReason: 'stop', lastText: '', hasThoughts: true }],
    ['without words', { finishReason: 'stop', lastText: '' }],
    ['in a call written as text', { finishReason: 'stop', lastText: '{"name":"edit_text","arguments":{"find":"a"}}' }],
    ['in repetitions', { isRepeating: true }],
    ['at a window that is full again', { wasCut: true, lastText: '' }],
  ])('%s is explained in German', (_, changes) => {
    const progress = new TurnProgress();
    const settings = { ...defaultSettings, exemptTools: new Set<string>(), autoCompact: true };
    const next = () => progress.decideNext({ ...outcome, ...changes }, { settings, toolbox, tailTokens: () => 0 });
    const ends = [next(), next(), next()].map((step) => ('error' in step ? step.error : null));
    const error = ends.find((each) => each !== null);
    expect(localizedText(error, '')).toMatch(/\S/);
    expect(localizedText(error, '')).not.toBe(error?.text);
  });
});

it('says in German what publishing warns of', async () => {
  const body = '[a](/nowhere) [b](/stay#sec_none) ![](/images/gone.svg)';
  const sections = [
    { id: 'sec_1', type: 'text' as const, fields: { body } },
    { id: 'sec_2', type: 'quote' as const, fields: { quote: 'So **gut**.' } },
    { id: 'sec_3', type: 'text' as const, fields: { body: '' } },
  ];
  const entry = testEntry('pag_1', { title: 'Stay', slug: 'stay', parent: 'pag_2', sections });
  const issues = await validateEntry(
    { ...entry, published: entry.draft },
    {
      entries: [{ ...entry, published: entry.draft }],
      homeSlug: 'home',
      redirects: [],
      manualRedirects: [],
      hasAnchors: true,
      cleansHtml: true,
      hasAsset: async () => false,
      hasPicture: async () => false,
    },
  );
  const said = issues.map(({ reason, message }) => localizedText(reason, message));
  expect(said.filter((text, index) => text === issues[index]?.message)).toEqual([]);
  expect(said).toEqual(
    expect.arrayContaining([
      'Das Bild /images/gone.svg gibt es nicht.',
      '/stay#sec_none führt zu einem Abschnitt, den es nicht gibt.',
      'Besucher lesen „**gut**“ so, wie es dasteht: Dieses Feld nimmt kein Markdown an.',
    ]),
  );
});

it('says in German why a model call failed, with what its provider said itself', () => {
  const said = (statusCode: number, message: string) => {
    const error = new APICallError({ message, url: 'https://models.example', requestBodyValues: {}, statusCode });
    const { text } = classifyProviderError(error);
    return localizedText(text, text.text);
  };
  expect(said(500, 'Boom')).toBe(
    'Der Anbieter des Modells hat gerade Schwierigkeiten. Versuchen Sie es gleich noch einmal oder wählen Sie ein anderes Modell. Er meldet: „Boom“',
  );
  for (const status of [400, 401, 402, 404, 413, 429, 503]) expect(said(status, 'Boom')).not.toContain('odel. ');
  expect(localizedText(classifyProviderError(new Error('?')).text, '')).toContain('unerwarteter Fehler');
});

describe('a sentence with a code', () => {
  const published = serverText('publish', {
    title: 'Preise',
    path: '/preise',
    time: null,
    isPrivate: false,
    isUpdate: true,
  });

  it('is in German for any English text', () => {
    expect(localizedText(published, 'Anything.')).toBe('Stellt die Änderungen an „Preise“ online, unter /preise.');
    const { code, params, text } = serverText('stays', { text: serverText('journal-published', { title: 'Preise' }) });
    expect(localizedText({ code, params }, text)).toBe('Bleibt: „Preise“ veröffentlicht');
  });

  it('keeps the English text that an older row has, or one of another version', () => {
    expect(localizedText(undefined, published.text)).toBe(published.text);
    expect(localizedText({ ...published, code: 'of-another-version' }, 'It is blue.')).toBe('It is blue.');
    expect(localizedText({ ...published, params: {} }, published.text)).toBe(published.text);
  });

  it('is that of a refusal in a response', () => {
    const budget = serverText('budget-person', { spent: '$5.00', limit: '$5.00', until: '2027-01-01' });
    expect(refusalText({ code: budget.code, params: budget.params }, budget.text)).toMatch(
      /^Ihr Budget .*2027-01-01 beginnt/,
    );
    expect(refusalText('anything', 'It is blue.')).toBe('It is blue.');
  });
});
