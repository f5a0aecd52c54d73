import { ArrowRight } from 'lucide-react';
import { inYourWords } from '#components/served-words';
import { useState } from 'react';
import useSWR from 'swr';
import { useMayPublish } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { contentChanged } from '#components/desk/content-cache';
import { toast } from '#components/toast';
import { LinkControl } from '#components/library/link-control';
import { libraryStrings } from '#components/library/words';
import { Button } from '#components/ui/buttons';
import { Field, TextField } from '#components/ui/fields';
import { useOpened } from '#components/ui/hooks';
import { LoadFailed } from '#components/ui/notices';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { TimeAgo } from '#components/ui/page-parts';
import { leadsOnIn, withLeadsOn } from '#server/core/addresses';
import type { Redirect, SiteSettings } from '#server/core/content';

const say = libraryStrings.trash.redirects;

/** An address where something was, or that somebody lets lead on. */
interface OldAddress {
  readonly from: string;
  /** Its target; null: visitors are told that what was there is gone. */
  readonly to: string | null;
  /** Somebody chose where it leads. */
  readonly isChosen: boolean;
  /** Since when nothing is there, epoch milliseconds; null: not known. */
  readonly since: number | null;
}

function oldAddresses(former: readonly Redirect[], { redirects }: SiteSettings): OldAddress[] {
  const chosen = new Map(leadsOnIn(redirects).map(({ from, to }) => [from, to]));
  const known = former.map(({ from, to, createdAt }) => ({
    from,
    to: chosen.get(from) ?? to,
    isChosen: chosen.has(from),
    since: createdAt,
  }));
  const others = [...chosen].filter(([from]) => !former.some((each) => each.from === from));
  return [...others.map(([from, to]) => ({ from, to, isChosen: true, since: null })), ...known];
}

/** Addresses where nothing is any more, what becomes of who comes there, and those that lead on by choice. */
export function OldAddresses() {
  const former = useSWR<{ readonly items: readonly Redirect[] }, Error>(paths.redirects);
  const settings = useSWR<SiteSettings, Error>(paths.settings);
  const dialog = useOpened<OldAddress>();
  const mayWrite = useMayPublish();
  const addresses = former.data && settings.data && oldAddresses(former.data.items, settings.data);
  const failure = former.error ?? settings.error;
  const reload = () => void Promise.all([former.mutate(), settings.mutate()]);
  return (
    <section aria-labelledby="redirects">
      <header className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-2">
        <h2 id="redirects" className="font-serif text-xl font-medium tracking-[-0.01em]">
          {say.title}
        </h2>
        {mayWrite && (
          <Button onClick={() => dialog.open({ from: '', to: null, isChosen: false, since: null })}>{say.add}</Button>
        )}
      </header>
      <p className="mt-0.5 max-w-[62ch] text-sm text-ink-2">{say.body}</p>
      {addresses ? (
        <ul className="mt-3 border-t border-rule">
          {addresses.map((address) => (
            <AddressRow key={address.from} address={address} onEdit={mayWrite ? () => dialog.open(address) : null} />
          ))}
        </ul>
      ) : (
        failure !== undefined && <LoadFailed title={say.failed} error={failure} onRetry={reload} />
      )}
      {dialog.opened && <LeadOnDialog address={dialog.opened.target} onClose={dialog.close} onSaved={reload} />}
    </section>
  );
}

interface AddressRowProps {
  readonly address: OldAddress;
  /** Null: the reader may not change it. */
  readonly onEdit: (() => void) | null;
}

function AddressRow({ address: { from, to, isChosen, since }, onEdit }: AddressRowProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-rule py-3 text-sm">
      <code className="font-mono text-xs break-all">{from}</code>
      <ArrowRight aria-hidden className="size-3.5 self-center text-ink-3" />
      {to === null ? (
        <span className="text-ink-3">{say.gone}</span>
      ) : (
        <>
          <span className="sr-only">{say.leadsTo}</span>
          <a
            href={to.startsWith('/') ? `/site${to}` : to}
            {...(!to.startsWith('/') && { target: '_blank', rel: 'noreferrer' })}
            className="font-mono text-xs break-all underline decoration-rule-strong underline-offset-2 hover:decoration-ink"
          >
            {to}
          </a>
        </>
      )}
      <span className="ml-auto flex items-baseline gap-3 text-ink-3">
        {isChosen ? say.chosen : since !== null && <TimeAgo time={since} />}
        {onEdit && (isChosen || to === null) && (
          <button
            type="button"
            onClick={onEdit}
            aria-label={say.editLabel(from)}
            className="text-ink-2 underline decoration-rule-strong underline-offset-2 hover:text-ink hover:decoration-ink"
          >
            {isChosen ? say.change : say.leadOn}
          </button>
        )}
      </span>
    </li>
  );
}

interface LeadOnDialogProps {
  /** `from` is empty for a new one. */
  readonly address: OldAddress;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Asks where an address leads on to. */
function LeadOnDialog({ address, onClose, onSaved }: LeadOnDialogProps) {
  const [from, setFrom] = useState(address.from);
  const [to, setTo] = useState(address.isChosen ? (address.to ?? '') : '');
  const submit = useSubmit();
  const save = (target: string | null) =>
    submit.run(async () => {
      if (target === '') throw new Error(say.noTarget);
      // The others as they are now: somebody else may have changed one meanwhile.
      const { redirects } = await api.get<SiteSettings>(paths.settings);
      const { change, notes = [] } = await api.updateSiteSettings({
        redirects: withLeadsOn(redirects, from.trim(), target),
      });
      contentChanged([change]);
      if (notes.length > 0) toast(notes.map(inYourWords).join(' '));
      onSaved();
      onClose();
    });
  return (
    <SubmitDialog
      title={say.dialog}
      save={say.save}
      saving={say.saving}
      submit={submit}
      onSubmit={() => void save(to.trim())}
      onClose={onClose}
      extra={
        address.isChosen && (
          <Button disabled={submit.isBusy} onClick={() => void save(null)}>
            {say.remove}
          </Button>
        )
      }
    >
      <TextField label={say.from} hint={say.fromHint} value={from} onChange={setFrom} readOnly={address.from !== ''} />
      <Field label={say.to}>{(ids) => <LinkControl {...ids} value={to} onChange={setTo} />}</Field>
    </SubmitDialog>
  );
}
