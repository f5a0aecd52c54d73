import clsx from 'clsx';
import { type ReactNode, useState } from 'react';
import { api } from '#components/api/api-client';
import { messageOf } from '#components/api/api-error';
import { inYourWords } from '#components/served-words';
import { sitesStrings } from '#components/settings/site-words';
import { TestOutcome, type TestResult, useTest } from '#components/ui/test-outcome';
import { Button, Disclosure } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/form-dialog';
import { TextField } from '#components/ui/fields';
import { ProgressBar } from '#components/ui/notices';
import { useSubmit } from '#components/ui/submit';
import type { PullProgress, SitesReport, SiteTest, WordPressSite } from '#server/core/remote-site';

/** Path of the report about all connectable sites, with the active one. */
export const SITES_PATH = '/api/settings/sites';

/** Id of the site that is kept here. */
export const OWN_SITE = 'embedded';

/** Connection of a WordPress site, as typed. */
export interface SiteConnectionInput {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** The sites of the REST API, as functions; see createApiClient. */
export const siteApi = {
  connect: (site: SiteConnectionInput) => api.json<SitesReport>('POST', SITES_PATH, site),
  /** Reaches it once; nothing is stored. */
  test: (site: SiteConnectionInput) => api.json<SiteTest>('POST', `${SITES_PATH}/test`, site),
  change: (id: string, changes: Partial<Omit<SiteConnectionInput, 'url'>>) =>
    api.json<SitesReport>('PATCH', `${SITES_PATH}/${id}`, changes),
  activate: (siteId: string) => api.json<SitesReport>('POST', `${SITES_PATH}/active`, { siteId }),
  /** Begins to take over what has changed there. */
  pull: (id: string) => api.json<SitesReport>('POST', `${SITES_PATH}/${id}/pull`),
  disconnect: (id: string) => api.json<undefined>('DELETE', `${SITES_PATH}/${id}`),
};

const text = sitesStrings.form;

/** A browser's own password for this page is none of WordPress's. */
const UNFILLED = { autoComplete: 'off', spellCheck: false } as const;

interface SiteDialogProps {
  /** Null: a new one. */
  readonly site: WordPressSite | null;
  readonly onSaved: (report: SitesReport) => void;
  readonly onClose: () => void;
}

/** A WordPress site to connect, or how it is signed in to. */
export function SiteDialog({ site, onSaved, onClose }: SiteDialogProps) {
  const [draft, setDraft] = useState({ url: site?.url ?? '', username: site?.username ?? '', password: '' });
  const submit = useSubmit();
  const test = useTest<SiteTest>(siteProblem);
  const isBusy = submit.isBusy || test.isTesting;
  const change = (changed: Partial<typeof draft>) => {
    setDraft({ ...draft, ...changed });
    test.forget();
  };
  const save = () => {
    test.forget();
    const { username, password } = draft;
    const signIn = { username, ...(password !== '' && { password }) };
    return submit.run(() => (site ? siteApi.change(site.id, signIn) : siteApi.connect(draft)).then(onSaved, test.fail));
  };

  return (
    <FormDialog
      title={site ? text.editTitle(site.name) : text.addTitle}
      width="wide"
      save={site ? (submit.isBusy ? text.saving : text.save) : submit.isBusy ? text.connecting : text.connect}
      isBusy={isBusy}
      isSent={submit.isBusy}
      onSubmit={() => void save()}
      onClose={onClose}
      outcome={
        <div className="max-h-48 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          <Outcome result={test.result} />
        </div>
      }
      extra={
        site === null && (
          <Button className="mr-auto" isBusy={isBusy} onClick={() => void test.run(() => siteApi.test(draft))}>
            {test.isTesting ? text.testing : text.test}
          </Button>
        )
      }
    >
      {site === null && (
        <TextField
          {...UNFILLED}
          label={text.url}
          hint={text.urlHint}
          type="url"
          placeholder="https://"
          value={draft.url}
          onChange={(url) => change({ url })}
        />
      )}
      <TextField
        {...UNFILLED}
        label={text.username}
        hint={text.usernameHint}
        value={draft.username}
        onChange={(username) => change({ username })}
      />
      <TextField
        {...UNFILLED}
        label={text.password}
        hint={text.passwordHint}
        type="password"
        placeholder={site ? text.stored : undefined}
        value={draft.password}
        onChange={(password) => change({ password })}
      />
    </FormDialog>
  );
}

function Outcome({ result }: { readonly result: TestResult<SiteTest> }) {
  return (
    <TestOutcome result={result}>
      {result &&
        (result.ok ? text.passes(result.name, result.abilities.userName, result.abilities.version) : result.message)}
      {result?.ok && result.abilities.remarks.length > 0 && <Remarks remarks={result.abilities.remarks} />}
    </TestOutcome>
  );
}

interface OwnSiteRowProps {
  readonly isActive: boolean;
  readonly onWork: () => void;
}

/** The site in our own database. */
export function OwnSiteRow({ isActive, onWork }: OwnSiteRowProps) {
  return (
    <Row name={sitesStrings.own} state={isActive ? { text: sitesStrings.active, look: 'text-accent' } : null}>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{sitesStrings.ownBody}</p>
      {!isActive && (
        <Button className="mt-3" aria-label={sitesStrings.workOf(sitesStrings.own)} onClick={onWork}>
          {sitesStrings.work}
        </Button>
      )}
    </Row>
  );
}

interface WordPressRowProps {
  readonly site: WordPressSite;
  readonly onWork: () => void;
  readonly onPull: () => void;
  readonly onEdit: () => void;
  readonly onDisconnect: () => void;
}

/** A connected WordPress site: how it is, and what can be done with it. */
export function WordPressRow({ site, onWork, onPull, onEdit, onDisconnect }: WordPressRowProps) {
  const { name, url, abilities, isActive, pulledAt, pulling, fault } = site;
  return (
    <Row name={name} state={stateOf(site)}>
      <p className="mt-0.5 text-sm text-ink-2">
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="break-all underline decoration-rule-strong underline-offset-3 hover:text-ink"
        >
          {url}
        </a>
      </p>
      <p className="mt-0.5 text-xs text-ink-3">{sitesStrings.by(abilities.userName, abilities.version)}</p>
      {pulledAt !== null && <p className="mt-0.5 text-xs text-ink-3 tabular-nums">{sitesStrings.pulledAt(pulledAt)}</p>}
      {pulling && <Progress name={name} pulling={pulling} />}
      {fault !== null && (
        <p className="mt-2 max-w-[60ch] text-sm break-words text-ink-2">
          <span className="text-red">{fault}</span> {pulledAt !== null && sitesStrings.meanwhile}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-1">
        {!isActive && pulledAt !== null && (
          <Button aria-label={sitesStrings.workOf(name)} onClick={onWork}>
            {sitesStrings.work}
          </Button>
        )}
        <Button
          variant="ghost"
          aria-label={sitesStrings.pullOf(name)}
          // It keeps the focus while it cannot be used.
          aria-disabled={pulling !== null}
          className="aria-disabled:text-ink-3"
          onClick={() => pulling === null && onPull()}
        >
          {sitesStrings.pull}
        </Button>
        <Button variant="ghost" aria-label={sitesStrings.editOf(name)} onClick={onEdit}>
          {sitesStrings.edit}
        </Button>
        {!isActive && (
          <Button variant="ghost" aria-label={sitesStrings.disconnectOf(name)} onClick={onDisconnect}>
            {sitesStrings.disconnect}
          </Button>
        )}
      </div>
      {abilities.remarks.length > 0 && (
        <Disclosure title={sitesStrings.remarks(abilities.remarks.length)}>
          <Remarks remarks={abilities.remarks} />
        </Disclosure>
      )}
    </Row>
  );
}

/** Unexpected behaviour of a site. */
function Remarks({ remarks }: { readonly remarks: readonly string[] }) {
  return (
    <ul className="mt-2 flex max-w-[62ch] list-disc flex-col gap-1 pl-5 text-sm text-ink-2">
      {remarks.map((remark) => (
        <li key={remark}>{inYourWords(remark)}</li>
      ))}
    </ul>
  );
}

interface State {
  readonly text: string;
  readonly look: string;
}

function stateOf({ isActive, pulledAt, pulling, fault }: WordPressSite): State {
  if (fault !== null) return { text: sitesStrings.faulty, look: 'text-red' };
  if (isActive) return { text: sitesStrings.active, look: 'text-accent' };
  if (pulling) return { text: sitesStrings.pulling, look: 'text-ink-3' };
  return { text: pulledAt === null ? sitesStrings.notYet : sitesStrings.ready, look: 'text-ink-3' };
}

interface RowProps {
  readonly name: string;
  readonly state: State | null;
  readonly children: ReactNode;
}

function Row({ name, state, children }: RowProps) {
  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
        {name}
        {state && <span className={clsx('text-xs font-normal', state.look)}>{state.text}</span>}
      </h3>
      {children}
    </article>
  );
}

function Progress({ name, pulling }: { readonly name: string; readonly pulling: PullProgress }) {
  const { done, total } = pulling;
  return (
    <div className="max-w-[28rem]">
      <ProgressBar label={sitesStrings.progressOf(name)} done={done} total={total} />
      <p className="mt-1.5 text-xs text-ink-2 tabular-nums">{sitesStrings.progress(pulling)}</p>
    </div>
  );
}

/** Reason why a site was refused, with the label of the field. */
function siteProblem(error: unknown): string {
  const message = messageOf(error);
  const { url, username, password } = sitesStrings.form;
  const labels: Readonly<Record<string, string>> = { url, username, password };
  return message.replace(/^Invalid body, "(\w+)": /, (_, field: string) => `${labels[field] ?? field}: `);
}
