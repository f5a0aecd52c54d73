import Link from 'next/link';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import { useMayPublish } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { messageOf } from '#components/api/api-error.ts';
import { PublishAllDialog } from '#components/editor/page/publish-all-dialog';
import { translator } from '#components/i18n.ts';
import { currentLanguage } from '#components/language.ts';
import { type Publication, unpublishedContent } from '#components/workspace/all-entries.ts';
import { type SiteStart, type StartAnswers, useSiteStart } from '#components/site/use-site-start.ts';
import { Button } from '#components/ui/buttons';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { Field, formFieldStyle, TextField } from '#components/ui/fields';
import { focusWhenShown } from '#components/ui/focus/focus.ts';
import { useHasBeen, useOpened } from '#components/ui/hooks.ts';
import { ProgressBar } from '#components/ui/progress-bar';
import { LIBRARY_DESIGN_PATH } from '#components/workspace/navigation.ts';
import { useWorkspaceActions } from '#components/workspace/workspace-actions.ts';
import { useCapabilities, useEntries, useIsDesignWaiting } from '#components/workspace/entries.ts';
import { languages } from '#server/core/languages';
import {
  MAX_ANSWER_CHARS,
  type StarterKitName,
  starterKits,
  UNTITLED_SITE,
} from '#server/core/site/starter/starter-kits';

const t = translator('startSite');
const tShared = translator('shared');
const tBatch = translator('pages.batch');
const tPageState = translator('pageState');

interface StartSiteProps {
  /** Puts the answers into the message field, as a request to the assistant; undefined: no language model answers. */
  readonly onBrief: ((brief: string) => void) | undefined;
}

/** For a site without pages: questions about it, and kits from which its first pages are made. */
export function StartSite({ onBrief }: StartSiteProps) {
  const { entries, isWhole } = useEntries();
  const can = useCapabilities();
  const mayPublish = useMayPublish();
  const { run, start, resume, undo, close } = useSiteStart();
  const hasRun = useHasBeen(run !== null);
  const { focusComposer } = useWorkspaceActions();
  const { data: settings } = useApi(paths.settings);
  // Kept here, so that an undo does not lose them.
  const [written, setAnswers] = useState<Partial<StartAnswers>>({});
  if (run !== null) {
    const leave = () => {
      close();
      // The button with the focus is gone.
      focusComposer();
    };
    return <Started run={run} onResume={() => void resume(run)} onUndo={() => undo(run)} onClose={leave} />;
  }
  const isEmpty = isWhole && entries?.length === 0;
  if (!isEmpty || !mayPublish || can === undefined || can.backend === 'wordpress' || settings === undefined)
    return null;
  const answers = {
    siteName: settings.siteName === UNTITLED_SITE ? '' : settings.siteName,
    what: '',
    audience: '',
    action: '',
    language: currentLanguage().code,
    ...written,
  };
  return (
    <Questions
      isAgain={hasRun}
      answers={answers}
      onAnswers={setAnswers}
      onStart={(kit, given) => void start(kit, given).catch(reportFailure)}
      onBrief={onBrief}
    />
  );
}

interface QuestionsProps extends StartSiteProps {
  /** True after an undo: they take the focus from its button, which is gone. */
  readonly isAgain: boolean;
  readonly answers: StartAnswers;
  readonly onAnswers: (answers: StartAnswers) => void;
  readonly onStart: (kit: StarterKitName, answers: StartAnswers) => void;
}

function Questions({ isAgain, answers, onAnswers, onStart, onBrief }: QuestionsProps) {
  const titleId = useId();
  const write = (name: keyof StartAnswers) => (text: string) => onAnswers({ ...answers, [name]: text });
  const question = (name: keyof typeof MAX_ANSWER_CHARS) => (
    <TextField
      label={t(`${name}.label`)}
      hint={t(`${name}.hint`)}
      autoComplete="off"
      maxLength={MAX_ANSWER_CHARS[name]}
      value={answers[name]}
      onChange={write(name)}
    />
  );
  return (
    <section
      ref={isAgain ? focusWhenShown : undefined}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="mt-8 rounded-xl border border-rule bg-sheet p-4 outline-none sm:p-5"
    >
      <h2 id={titleId} className="font-serif text-xl">
        {t('title')}
      </h2>
      <p className="mt-1 mb-4 text-sm text-ink-2">{t('body')}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {question('siteName')}
        <Field label={t('language')}>
          {(ids) => (
            <select
              {...ids}
              value={answers.language}
              onChange={({ target }) => write('language')(target.value)}
              className={formFieldStyle}
            >
              {Object.entries(languages).map(([code, name]) => (
                <option key={code} value={code} lang={code}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {question('what')}
        {question('audience')}
        {question('action')}
      </div>
      {onBrief && (
        <Button variant="primary" className="mt-4" onClick={() => onBrief(briefOf(answers))}>
          {t('plan')}
        </Button>
      )}
      <h3 className="mt-6 text-sm font-medium">{t('kitsTitle')}</h3>
      <p className="mb-2 text-xs text-ink-3">{t('kitsBody')}</p>
      <ul className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        {starterKits.map((kit) => (
          <li key={kit}>
            <button
              type="button"
              onClick={() => onStart(kit, answers)}
              className="flex h-full w-full flex-col overflow-hidden rounded-lg border border-rule text-left hover:border-ink-3"
            >
              <img src={`/images/start-${kit}.png`} alt="" width={400} height={300} loading="lazy" className="w-full" />
              <span className="px-3 pt-2 text-sm font-medium">{t(`kits.${kit}.name`)}</span>
              <span className="px-3 pb-2 text-xs text-ink-2">{t(`kits.${kit}.pages`)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The answers as a request to the assistant. */
function briefOf({ siteName, what, audience, action, language }: StartAnswers): string {
  const answered = (['what', 'audience', 'action'] as const)
    .map((name) => [name, { what, audience, action }[name].trim()] as const)
    .filter(([, answer]) => answer !== '')
    .map(([name, answer]) => `${t(`${name}.label`)} ${answer}`);
  const name = new Intl.DisplayNames(currentLanguage().code, { type: 'language' }).of(language) ?? language;
  const given = siteName.trim();
  return [
    t('brief.begin', { isNamed: given === '' ? 'no' : 'yes', siteName: given, language: name }),
    ...answered,
    t('brief.end'),
  ].join('\n');
}

interface StartedProps {
  readonly run: SiteStart;
  /** Makes the pages that are missing. */
  readonly onResume: () => void;
  readonly onUndo: () => Promise<void>;
  readonly onClose: () => void;
}

/** Progress of a start, page by page, then what can be done with its pages. */
function Started({ run, onResume, onUndo, onClose }: StartedProps) {
  const { pages, total, isEnded, error } = run;
  const asking = useOpened<Publication>();
  const titleId = useId();
  const [isBusy, setIsBusy] = useState(false);
  const { entries = [] } = useEntries();
  const isDesignWaiting = useIsDesignWaiting();
  const isPublished = !isDesignWaiting && entries.length > 0 && entries.every(({ status }) => status === 'published');
  const perform = async (action: () => Promise<void>) => {
    setIsBusy(true);
    await action().catch(reportFailure);
    setIsBusy(false);
  };
  const askToPublish = async () => {
    const waiting = await unpublishedContent();
    if (waiting.entries.length === 0 && !waiting.hasDesign) toast(tPageState('nothingWaiting'));
    else asking.open(waiting);
  };
  const state = !isEnded ? 'running' : error !== null ? 'failed' : isPublished ? 'published' : 'done';
  return (
    // Takes the focus from the button of the kit, which is gone.
    <section
      ref={focusWhenShown}
      tabIndex={-1}
      aria-labelledby={titleId}
      className="mt-8 rounded-xl border border-rule bg-sheet p-4 outline-none sm:p-5"
    >
      <h2 id={titleId} className="font-serif text-xl">
        {t(`${state}.title`)}
      </h2>
      <output className="block">
        {!isEnded && <p className="mt-1 text-sm text-ink-2">{t('running.body', { done: pages.length, total })}</p>}
        {state === 'done' && <p className="mt-1 text-sm text-ink-2">{t('done.body')}</p>}
        {state === 'published' && <p className="mt-1 text-sm text-ink-2">{t('published.body')}</p>}
        {isEnded && error !== null && (
          <p className="mt-1 text-sm text-red">{tShared('common.failed', { reason: messageOf(error) })}</p>
        )}
      </output>
      {!isEnded && <ProgressBar label={t('running.title')} done={pages.length} total={total} />}
      <ul className="mt-3 list-disc pl-5 text-sm text-ink-2">
        {pages.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
      {state === 'done' && (
        <p className="mt-3 text-sm">
          <Link href={LIBRARY_DESIGN_PATH} prefetch={false} className="underline underline-offset-2">
            {t('done.design')}
          </Link>
        </p>
      )}
      {isEnded && (
        <div className="mt-4 flex flex-wrap gap-2">
          {state === 'failed' && (total === 0 || pages.length < total) && (
            <Button onClick={onResume}>{tBatch('resume')}</Button>
          )}
          {run.changes.length > 0 && (
            <>
              {!isPublished && (
                <Button variant="primary" isBusy={isBusy} onClick={() => void perform(askToPublish)}>
                  {t('done.publish')}
                </Button>
              )}
              <Button isBusy={isBusy} onClick={() => void perform(onUndo)}>
                {t('done.undo')}
              </Button>
            </>
          )}
          <Button variant="ghost" onClick={onClose}>
            {tShared('common.close')}
          </Button>
        </div>
      )}
      {asking.opened && <PublishAllDialog publication={asking.opened.target} onClose={asking.close} />}
    </section>
  );
}
