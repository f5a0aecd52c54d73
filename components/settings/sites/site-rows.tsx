import { localizedText } from '#components/message-text.ts';
import { dates } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { Disclosure } from '#components/ui/controls/disclosure';
import { Button } from '#components/ui/buttons';
import { ProgressBar } from '#components/ui/progress-bar';
import type { PullProgress, WordPressSite } from '#server/core/site/remote-site';
import { SiteRemarks } from '#components/settings/sites/site-remarks';

const t = translator('sites');
const moment = dates({ dateStyle: 'medium', timeStyle: 'short' });

interface OwnSiteRowProps {
  readonly isActive: boolean;
  readonly onMakeDefault: () => void;
}

/** The built-in site. */
export function OwnSiteRow({ isActive, onMakeDefault }: OwnSiteRowProps) {
  return (
    <Row name={t('own')} state={isActive ? { text: t('active'), className: 'text-accent' } : null}>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{t('ownBody')}</p>
      {!isActive && (
        <Button className="mt-3" aria-label={t('workOf', { name: t('own') })} onClick={onMakeDefault}>
          {t('work')}
        </Button>
      )}
    </Row>
  );
}

interface WordPressRowProps {
  readonly site: WordPressSite;
  readonly onMakeDefault: () => void;
  readonly onPull: () => void;
  readonly onEdit: () => void;
  readonly onDisconnect: () => void;
}

/** A connected WordPress site: its state and actions. */
export function WordPressRow({ site, onMakeDefault, onPull, onEdit, onDisconnect }: WordPressRowProps) {
  const { name, url, abilities, isActive, pulledAt, pulling, fault, faultMessage } = site;
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
      <p className="mt-0.5 text-xs text-ink-3">
        {t('by', { userName: abilities.userName, version: abilities.version ?? 'none' })}
      </p>
      {pulledAt !== null && (
        <p className="mt-0.5 text-xs text-ink-3 tabular-nums">{t('pulledAt', { time: moment.format(pulledAt) })}</p>
      )}
      {pulling && <Progress name={name} pulling={pulling} />}
      {fault !== null && (
        <p className="mt-2 max-w-[60ch] text-sm break-words text-ink-2">
          <span className="text-red">{localizedText(faultMessage, fault)}</span> {pulledAt !== null && t('meanwhile')}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-1">
        {!isActive && pulledAt !== null && (
          <Button aria-label={t('workOf', { name })} onClick={onMakeDefault}>
            {t('work')}
          </Button>
        )}
        <Button
          variant="ghost"
          aria-label={t('pullOf', { name })}
          // Keeps the focus while it is disabled.
          aria-disabled={pulling !== null}
          className="aria-disabled:text-ink-3"
          onClick={() => pulling === null && onPull()}
        >
          {t('pull')}
        </Button>
        <Button variant="ghost" aria-label={t('editOf', { name })} onClick={onEdit}>
          {t('edit')}
        </Button>
        {!isActive && (
          <Button variant="ghost" aria-label={t('disconnectOf', { name })} onClick={onDisconnect}>
            {t('disconnect')}
          </Button>
        )}
      </div>
      {abilities.remarks.length > 0 && (
        <Disclosure title={t('remarks', { count: abilities.remarks.length })}>
          <SiteRemarks abilities={abilities} />
        </Disclosure>
      )}
    </Row>
  );
}

interface State {
  readonly text: string;
  readonly className: string;
}

function stateOf({ isActive, pulledAt, pulling, fault }: WordPressSite): State {
  if (fault !== null) return { text: t('faulty'), className: 'text-red' };
  if (isActive) return { text: t('active'), className: 'text-accent' };
  if (pulling) return { text: t('pulling'), className: 'text-ink-3' };
  return { text: pulledAt === null ? t('notYet') : t('ready'), className: 'text-ink-3' };
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
        {state && <span className={clsx('text-xs font-normal', state.className)}>{state.text}</span>}
      </h3>
      {children}
    </article>
  );
}

function Progress({ name, pulling }: { readonly name: string; readonly pulling: PullProgress }) {
  const { phase, done, total } = pulling;
  return (
    <div className="max-w-[28rem]">
      <ProgressBar label={t('progressOf', { name })} done={done} total={total} />
      <p className="mt-1.5 text-xs text-ink-2 tabular-nums">{t('progress', { phase, done, total })}</p>
    </div>
  );
}
