'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { AccessCard } from '#components/access/access-form';
import { accessProblem } from '#components/access/access-problem.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import { whileVisible } from '#components/ui/hooks.ts';
import { redirectParts, redirectTarget } from '#server/core/oauth/redirect-uris';

const t = translator('access.consent');

/**
 * Time that the page has to be visible, and in front, before it accepts a click; milliseconds. A page that brings this one
 * to the front between the two clicks of a double click cannot decide for the person (double-clickjacking).
 */
const ARMED_AFTER_MS = 500;

/** Text of a stranger, whose direction must not change the text around it. */
const isolated = (text: ReactNode) => <bdi>{text}</bdi>;

interface ConsentFormProps {
  /** Query of the request; the server checks it again. */
  readonly query: string;
  /** As the program calls itself. */
  readonly client: string;
  /** Host of the document that describes the program, which is known to be the program's; null: it has none. */
  readonly describedAt: string | null;
  /** Where the browser goes after the decision. */
  readonly redirectUri: string;
  /** Id and name of the signed-in person. */
  readonly userId: string;
  readonly person: string;
  readonly mayDraft: boolean;
  /** True if the person may let the program publish. */
  readonly offersPublishing: boolean;
}

/** Asks a person whether a program may use `/mcp` in their name. */
export function ConsentForm(props: ConsentFormProps) {
  const { query, client, describedAt, redirectUri, userId, person, mayDraft, offersPublishing } = props;
  const isArmed = useIsArmed();
  const submit = useSubmit(accessProblem);
  const [mayPublish, setMayPublish] = useState(false);
  const [outcome, setOutcome] = useState<'leaving' | 'closed' | null>(null);
  const { kind } = redirectTarget(redirectUri);
  const decide = (isAllowed: boolean) =>
    submit.run(async () => {
      const decision = { query, userId, isAllowed, mayPublish: isAllowed && mayPublish };
      const { redirectTo } = await access.decideConsent(decision);
      // A program of this device must not be opened with text of a stranger by somebody who said no.
      const isStaying = !isAllowed && kind === 'program';
      setOutcome(isStaying ? 'closed' : 'leaving');
      if (!isStaying) window.location.assign(redirectTo);
    });
  const isDisabled = submit.isBusy || !isArmed || outcome !== null;
  return (
    <AccessCard title={t.rich('heading', { client, bdi: isolated })}>
      <p className="mt-2 text-base text-ink-2">{t('body', { person })}</p>
      <dl className="mt-4 rounded-md border border-rule bg-paper px-3 py-2 text-sm">
        <dt className="text-xs text-ink-2">{t('name')}</dt>
        <dd className="font-medium [overflow-wrap:anywhere]">
          <bdi>{client}</bdi> <span className="font-normal text-ink-2">{t('unverified')}</span>
        </dd>
        {/* Any program of a device can claim the address of a known one: it says something of redirects to hosts only. */}
        {describedAt !== null && kind === 'host' && (
          <>
            <dt className="mt-2 text-xs text-ink-2">{t('describedAt')}</dt>
            <dd className="font-medium [overflow-wrap:anywhere]">
              <bdi>{describedAt}</bdi>
            </dd>
          </>
        )}
        <dt className="mt-2 text-xs text-ink-2">{t('leadsTo')}</dt>
        <dd className="[overflow-wrap:anywhere]">
          {kind !== 'host' && `${t('onDevice')} `}
          <RedirectAddress uri={redirectUri} />
        </dd>
      </dl>
      <p className="mt-4 text-sm font-medium">{t('may')}</p>
      <ul className="mt-1 list-disc pl-5 text-sm text-ink-2">
        <li>{t('read')}</li>
        {mayDraft && <li>{t('draft')}</li>}
        {!mayPublish && <li>{mayDraft ? t('asks') : t('noChange')}</li>}
        {mayPublish && <li className="font-medium text-red">{t('publishes')}</li>}
      </ul>
      {offersPublishing && (
        <label className="mt-4 flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            checked={mayPublish}
            onChange={(event) => setMayPublish(event.target.checked)}
            disabled={isDisabled}
            className="mt-0.5 size-4 accent-accent"
          />
          <span>{t('offer')}</span>
        </label>
      )}
      <div className="mt-5 flex flex-col gap-3">
        <Problem text={submit.problem} />
        <Button variant="primary" className="h-9" disabled={isDisabled} onClick={() => void decide(true)}>
          {t('allow')}
        </Button>
        <Button className="h-9" disabled={isDisabled} onClick={() => void decide(false)}>
          {t('deny')}
        </Button>
        <output className="text-xs text-ink-3">{t(outcome ?? 'revocable')}</output>
      </div>
    </AccessCard>
  );
}

/** The whole address as text; the place that it leads to is emphasised. */
function RedirectAddress({ uri }: { readonly uri: string }) {
  const [before, place, after] = redirectParts(uri);
  return (
    <bdi className="text-ink-2">
      {before}
      <strong className="font-medium text-ink">{place}</strong>
      {after}
    </bdi>
  );
}

/** True when the page has been visible for a moment; false on the server, and again once it is hidden or gets the focus. */
function useIsArmed(): boolean {
  const [isArmed, setIsArmed] = useState(false);
  useEffect(
    () =>
      whileVisible(() => {
        let timer = 0;
        const disarm = () => {
          clearTimeout(timer);
          setIsArmed(false);
        };
        const restart = () => {
          disarm();
          timer = window.setTimeout(() => setIsArmed(true), ARMED_AFTER_MS);
        };
        restart();
        // A page counts as visible below a smaller window of the attacker.
        window.addEventListener('focus', restart);
        return () => {
          window.removeEventListener('focus', restart);
          disarm();
        };
      }),
    [],
  );
  return isArmed;
}
