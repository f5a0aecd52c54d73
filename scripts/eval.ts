import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#server/core/errors';
import { allowServerModules, exitWithMessage, readEnvironment, withUsage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { type StrategyName, strategyNames } from '#server/core/admin/strategy-names';
import { parseEnv } from '#server/platform/config/env';
import { OFFLINE_MODEL_ID } from '#server/models/known-models';
import type { Services } from '#server/services';
import { type ProbeKind, probeKinds } from '#tests/eval/probe';
import { type EvalReport, isPassed, reportOf, reportText } from '#tests/eval/report';
import { runSession, type SessionResult } from '#tests/eval/run-session';
import { MIN_TURNS } from '#tests/eval/talk';

const USAGE = `Usage: npm run eval -- [options]

Has the configured model (.env, as for the server) do long editing sessions through the real server in a small window,
then asks what it still knows. Nothing of it reaches your own database. See docs/internals/evaluation.md.
  --sessions 3        how many
  --turns 40          requests before the questions, at least ${MIN_TURNS}
  --window 16000      tokens of the context window, at least 10000
  --kinds LIST        of the questions: ${probeKinds.join(',')}; default: all
  --strategy NAME     ${strategyNames.join(', ')}; default: as configured
  --model ID          default: as configured
  --seed 1            of the first session; the next ones count on
  --min 0.9           fails when the share of right answers is below
  --out DIR           of the JSON file; default .data/eval`;

/** Printed before the first request. */
const OFFLINE_NOTICE = `The basic assistant answers: that is so where no model is configured. It is a program that knows fixed
phrases: probes that need a model are skipped, and what it gets right says what the context engine keeps, not how good a model is.
For a model set OPENROUTER_API_KEY, or OPENAI_COMPATIBLE_BASE_URL and DEFAULT_MODEL, in .env.
`;

/** Options of the command. */
interface Options {
  readonly sessions: number;
  readonly turns: number;
  readonly window: number;
  readonly kinds: readonly ProbeKind[];
  readonly strategy: StrategyName | undefined;
  readonly model: string | undefined;
  readonly seed: number;
  readonly min: number | null;
  readonly out: string;
}

/** Null if only the usage was requested. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      sessions: { type: 'string', default: '3' },
      turns: { type: 'string', default: '40' },
      window: { type: 'string', default: '16000' },
      kinds: { type: 'string', default: probeKinds.join(',') },
      strategy: { type: 'string' },
      model: { type: 'string' },
      seed: { type: 'string', default: '1' },
      min: { type: 'string' },
      out: { type: 'string', default: projectPath('.data/eval') },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const strategy = strategyNames.find((name) => name === values.strategy);
  if (values.strategy !== undefined && strategy === undefined)
    throw new Error(`There is no strategy "${values.strategy}".`);
  const min = values.min === undefined ? null : Number(values.min);
  if (min !== null && !(values.min !== '' && min >= 0 && min <= 1)) throw new Error(`--min is a share from 0 to 1.`);
  return {
    sessions: wholeNumber('sessions', values.sessions, 1),
    turns: wholeNumber('turns', values.turns, MIN_TURNS),
    window: wholeNumber('window', values.window, 10_000),
    kinds: kindsOf(values.kinds),
    strategy,
    model: values.model,
    seed: wholeNumber('seed', values.seed, 0),
    min,
    out: values.out,
  };
}

/** Parses the list of `--kinds`. @throws Error for an unknown kind */
function kindsOf(list: string): ProbeKind[] {
  return list.split(',').map((name) => {
    const kind = probeKinds.find((each) => each === name.trim());
    if (kind === undefined) throw new Error(`There are no questions of the kind "${name}".`);
    return kind;
  });
}

/** Parses the number of an option. @throws Error if it is no whole number or below `min` */
function wholeNumber(name: string, text: string, min: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min) throw new Error(`--${name} is a whole number from ${min}.`);
  return Number(text);
}

/** Runs with the real server services, without HTTP, on a new empty database that is deleted afterwards. */
async function withServices<T>(options: Options, run: (services: Services) => Promise<T>): Promise<T> {
  const { startServices } = await import('#server/services');
  const folder = await mkdtemp(join(tmpdir(), 'throughline-eval-'));
  const removeAndExit = (signal: NodeJS.Signals) => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('SIGINT', removeAndExit).on('SIGTERM', removeAndExit);
  try {
    const services = await startServices(
      parseEnv({
        ...process.env,
        DATABASE_URL: `file:${join(folder, 'eval.db')}`,
        // An empty value counts as unset: settings of the running server are left out.
        REDIS_URL: '',
        OTEL_EXPORTER_OTLP_ENDPOINT: '',
        AUTH_MODE: '',
        HOST: '',
        CONTEXT_MODEL_WINDOWS: '',
        CONTEXT_WINDOW: String(options.window),
        ...(options.strategy && { CONTEXT_STRATEGY: options.strategy }),
        LOG_LEVEL: 'fatal',
        OFFLINE_CHUNK_DELAY_MS: '0',
      }),
    );
    try {
      return await run(services);
    } finally {
      await services[Symbol.asyncDispose]();
    }
  } finally {
    process.off('SIGINT', removeAndExit).off('SIGTERM', removeAndExit);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Id of the model to evaluate. @throws Error with advice if it cannot be used */
function modelIdOf({ models }: Services, wanted: string | undefined): string {
  try {
    return models.resolve(wanted).id;
  } catch (error) {
    throw new Error(`${messageOf(error)} Set the key of its provider in .env, or take another --model.`, {
      cause: error,
    });
  }
}

/** Runs the sessions one after the other. */
async function evaluate(options: Options): Promise<EvalReport> {
  const sessions: SessionResult[] = [];
  let strategy = '';
  // If one session fails (no credit, no connection), the following ones would too.
  while (sessions.length < options.sessions && sessions.every(({ error }) => error === null)) {
    const result = await withServices(options, (services) => {
      strategy = services.settings.current().strategy;
      const seed = options.seed + sessions.length;
      const id = modelIdOf(services, options.model);
      if (sessions.length === 0) process.stderr.write(id === OFFLINE_MODEL_ID ? OFFLINE_NOTICE : `Evaluating ${id}.\n`);
      const onProgress = (what: string) =>
        process.stderr.write(`session ${sessions.length + 1} of ${options.sessions}: ${what}\n`);
      const { turns, kinds, model: modelId } = options;
      return runSession(services, { seed, turns, kinds, modelId, onProgress });
    });
    sessions.push(result);
  }
  const { window, turns } = options;
  const run = { date: new Date().toISOString(), modelId: sessions[0]?.modelId ?? '', window, strategy, turns };
  return reportOf(run, sessions);
}

/** @returns the path of the saved report */
async function save(report: EvalReport, folder: string): Promise<string> {
  const name = [report.date.replaceAll(':', '-').slice(0, 19), report.modelId.replaceAll(/[^\w.-]+/g, '-')].join('-');
  const path = join(folder, `${name}.json`);
  await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
  return path;
}

/** Evaluates, prints the report and saves it; a failed evaluation sets the exit code. */
async function evaluateAndSave(options: Options): Promise<void> {
  readEnvironment();
  allowServerModules();
  // Creates the folder before any tokens are spent.
  await mkdir(options.out, { recursive: true });
  const report = await evaluate(options);
  console.log(reportText(report));
  console.log(`\nEverything asked and answered: ${await save(report, options.out)}`);
  if (!isPassed(report, options.min)) process.exitCode = 1;
}

const options = withUsage(USAGE, readOptions);
if (options === null) console.log(USAGE);
else await evaluateAndSave(options).catch(exitWithMessage);
