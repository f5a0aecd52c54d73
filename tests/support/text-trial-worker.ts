import { GCProfiler } from 'node:v8';
import { markdownToHtml, safeHtml } from '#components/content/text/safe-html.ts';
import { applyOperations } from '#server/site/document-operations';
import { plainContext } from '#server/wordpress/blocks/block-context';
import { composeContent } from '#server/wordpress/blocks/compose-content';
import { readBlocks } from '#server/wordpress/blocks/read-segments';
import { linksOf } from '#server/site/entry-links';
import type { EntryDocument, Section } from '#server/core/site/content';
import { InvalidInputError } from '#server/core/errors';
import { readContent } from '#server/import-export/read-content';
import { readImportFile } from '#server/import-export/plan/read-import-file';
import type { HurtfulText } from '#tests/support/hurtful-texts';
import { createAddresses } from '#server/import-export/source-addresses';
import { sectionPlainText } from '#server/site/text/section-plain-text';
import { diffDocuments } from '#server/site/diff-documents';

/** Cost of one thing that is done with a text, in this process. */
export interface TrialCost {
  readonly step: 'render' | 'import' | 'edit';
  /** Milliseconds on processors, of all threads. */
  readonly cpu: number;
  /** The same for all that is done with a usual text of `USUAL_LENGTH`. */
  readonly usualCpu: number;
  /** The most that was in the heap beyond what was there before, garbage that was not collected yet included; bytes. */
  readonly heap: number;
}

/** A stored text, whether or not the current input rules accept it. */
function sectionOf({ kind, text }: Pick<HurtfulText, 'kind' | 'text'>): Section {
  return kind === 'html'
    ? { id: 'sec_text', type: 'html', fields: { html: text } }
    : { id: 'sec_text', type: 'text', fields: { body: text } };
}

function render({ kind, text }: HurtfulText): void {
  if (kind === 'html') safeHtml(text, '/site');
  else markdownToHtml(text, '/site');
}

async function importText({ kind, text }: HurtfulText): Promise<void> {
  // Markdown comes as the words of a page: there its marks are to be kept from being marks.
  const content = kind === 'html' ? text : `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`;
  const item = `<item><title>T</title><wp:post_id>1</wp:post_id><wp:post_type>page</wp:post_type><wp:status>publish</wp:status><content:encoded><![CDATA[${content}]]></content:encoded></item>`;
  const file = `<rss><channel><title>T</title><link>https://a.example</link>${item}</channel></rss>`;
  const addresses = createAddresses('https://a.example');
  const sources = { addresses, pictures: new Map() };
  const { type, fields } = sectionOf({ kind, text });
  // As an export of ours has it.
  await refused(() => readContent({ kind: 'sections', sections: [{ type, fields }] }, sources));
  const plan = await refused(() => readImportFile(new TextEncoder().encode(file), 0));
  for (const { draft } of plan?.entries ?? []) {
    await refused(() => readContent(draft.content, sources));
  }
}

async function edit(hurtful: HurtfulText): Promise<void> {
  const section = sectionOf(hurtful);
  const document: EntryDocument = { title: 'T', slug: 't', sections: [section] };
  const field = hurtful.kind === 'html' ? 'html' : 'body';
  const words = { op: 'set-section' as const, sectionId: section.id, fields: { [field]: `${hurtful.text}\n\nMore` } };
  const changed = await refused(() => applyOperations(document, [words]));
  const after = changed?.document ?? document;
  diffDocuments(document, after);
  linksOf(after);
  after.sections.map(sectionPlainText);
  // To WordPress, and back after an editor changed it there.
  const { known } = composeContent(document.sections, [], plainContext);
  const composed = composeContent(
    [{ ...section, fields: { ...section.fields, [field]: `More\n\n${hurtful.text.slice(0, 50_000)}` } }],
    known,
    plainContext,
  );
  readBlocks(composed.raw, plainContext);
}

/** What is refused with words for its author is as good as done. */
async function refused<T>(run: () => T | Promise<T>): Promise<T | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

async function measured(step: TrialCost['step'], run: () => unknown): Promise<Omit<TrialCost, 'usualCpu'>> {
  const profiler = new GCProfiler();
  profiler.start();
  const { heapUsed } = process.memoryUsage();
  const cpu = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(cpu);
  const after = process.memoryUsage().heapUsed;
  const collections = profiler.stop()?.statistics ?? [];
  const peak = Math.max(after, ...collections.map(({ beforeGC }) => beforeGC.heapStatistics.usedHeapSize));
  return { step, cpu: (user + system) / 1_000, heap: peak - heapUsed };
}

const USUAL = '<h2>Words</h2>\n<p>Some <em>words</em> and <a href="/x">a link</a>.</p>\n<ul><li>one</li></ul>\n';
const USUAL_MARKDOWN = '## Words\n\nSome *words*, **more** and [a link](https://a.example/x).\n\n- one\n- two\n\n';
/** About as long as the longest text that a user may write; characters. */
const USUAL_LENGTH = 200_000;

async function everything(text: HurtfulText) {
  return [
    await measured('render', () => render(text)),
    await measured('import', () => importText(text)),
    await measured('edit', () => edit(text)),
  ];
}

/**
 * Milliseconds on processors that all three take with a usual text. What they need is loaded and compiled before: that
 * happens once in a server's life.
 */
async function measureUsual(): Promise<number> {
  await everything({ name: 'markdown', kind: 'markdown', text: USUAL_MARKDOWN.repeat(60) });
  const usual: HurtfulText = {
    name: 'usual',
    kind: 'html',
    text: USUAL.repeat(Math.round(USUAL_LENGTH / USUAL.length)),
  };
  await everything(usual);
  return (await everything(usual)).reduce((sum, { cpu }) => sum + cpu, 0);
}

const measuredUsual = measureUsual();

process.on('message', (text: HurtfulText) => {
  void (async () => {
    const usualCpu = await measuredUsual;
    process.send?.((await everything(text)).map((cost) => ({ ...cost, usualCpu })));
  })();
});
