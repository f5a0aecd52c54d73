import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectPath } from '#scripts/lib/project';
import { allApproaches } from '#tests/bench/context/approaches/index';
import { cmsTranscript, nameOfCms } from '#tests/bench/context/cms-transcript';
import { toMarkdown } from '#tests/bench/context/markdown-report';
import { readTranscripts } from '#tests/bench/context/read-transcripts';
import { runBench } from '#tests/bench/context/run-bench';
import { supportTranscript } from '#tests/bench/context/support-transcript';
import { printTable } from '#tests/bench/context/terminal-table';
import { NO_REASON } from '#tests/bench/context/worse';
import { runDialogs } from '#tests/bench/dialogs/run-dialogs';
import { commandOf } from '#tests/bench/support/circumstances';

const USUAL_TRANSCRIPTS = 'tests/fixtures/transcripts';

const USAGE = `npm run bench -- [--transcripts DIR] [--conversation NAME] [--window N] [--only NAMES]
                 [--out DIR] [--write-docs] [--dialogs FILE] [--help]

  --transcripts DIR  a folder of .json files: messages of the AI SDK, of OpenAI, or our own export
                     (default: ${USUAL_TRANSCRIPTS})
  --conversation NAME  only conversations with this in their name, made ones included
  --window N         tokens of the window, for all transcripts
  --only NAMES       only approaches with one of these in their name, separated by commas
  --out DIR          where report.json goes (default: .data/bench)
  --write-docs       also write docs/internals/benchmarks.md and docs/internals/benchmarks.json
  --dialogs FILE     only this: questions about long dialogs (a file in the format of LoCoMo), and how much of their
                     evidence is in view or found by one search (default window: 16,000)
  --help             this`;

const CMS_TURNS = [60, 160];
/** Tokens of the user's words: as many as a summary in a window of 32,000 holds, and about twice as many. */
const SUPPORT_TOKENS = [8_000, 20_000];
const SUPPORT_SEED = 17;

/** @throws Error whose message says what is wrong with the arguments or a transcript */
export async function main(args: readonly string[]): Promise<void> {
  const options = readOptions(args);
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const tell = (line: string) => process.stderr.write(`> ${line}\n`);
  if (options.dialogs !== undefined) return runDialogs(options.dialogs, options.window, tell);
  // Read first, so that an unreadable file ends the run immediately.
  const read = await readTranscripts(options.transcripts ?? projectPath(USUAL_TRANSCRIPTS));
  const approaches = (await allApproaches()).filter(({ name }) =>
    options.only.some((part) => name.toLowerCase().includes(part)),
  );
  if (approaches.length === 0) throw new Error(`No approach has "${options.only.join('" or "')}" in its name.`);
  if (options.writeDocs && !approaches.some(({ source }) => source.startsWith('langchain ')))
    throw new Error('Docs are not written without the other projects beside ours: see above, or leave --only out.');
  const made = SUPPORT_TOKENS.map((tokens) => supportTranscript(tokens, SUPPORT_SEED));
  for (const turns of CMS_TURNS) {
    if (!nameOfCms(turns).includes(options.conversation)) continue;
    tell(`Making a session of ${turns} turns on a site`);
    made.push(await cmsTranscript(turns));
  }
  const transcripts = [...read, ...made].filter(({ name }) => name.includes(options.conversation));
  if (transcripts.length === 0) throw new Error(`No conversation has "${options.conversation}" in its name.`);
  const command = commandOf('bench', args);
  const report = await runBench({ approaches, transcripts, contextWindow: options.window, command, tell });

  printTable(report);
  const json = `${JSON.stringify(report, null, 2)}\n`;
  mkdirSync(options.out, { recursive: true });
  writeFileSync(join(options.out, 'report.json'), json);
  tell(`Wrote ${join(options.out, 'report.json')}`);
  if (options.writeDocs) {
    writeFileSync(projectPath('docs/internals/benchmarks.json'), json);
    writeFileSync(projectPath('docs/internals/benchmarks.md'), toMarkdown(report));
    tell('Wrote docs/internals/benchmarks.md and docs/internals/benchmarks.json');
  }
  const unexplained = report.worse.filter(({ why }) => why === NO_REASON);
  for (const { figure, transcript, ours, best, peer } of unexplained)
    tell(`WORSE without a reason: ${figure}, ${transcript}: ${ours}, ${peer}: ${best}`);
  if (unexplained.length > 0) process.exitCode = 1;
}

function readOptions(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    transcripts: text,
    conversation: text,
    window: text,
    only: text,
    out: text,
    dialogs: text,
    'write-docs': { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`, { cause: error });
  }
  const { transcripts, conversation = '', window, only = '', out = projectPath('.data/bench') } = values;
  if (window !== undefined && !/^[1-9]\d{3,7}$/.test(window))
    throw new Error(`--window is a whole number of tokens, 1,000 at least.\n\n${USAGE}`);
  return {
    transcripts,
    dialogs: values.dialogs,
    conversation,
    window: window === undefined ? undefined : Number(window),
    only: only.toLowerCase().split(','),
    out,
    writeDocs: values['write-docs'] ?? false,
    help: values.help ?? false,
  };
}
