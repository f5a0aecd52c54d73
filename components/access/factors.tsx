'use client';

import { useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { encode } from 'uqr';
import { access, accessPaths, useMe } from '#components/access/access-client';
import { CodeField } from '#components/access/sign-in';
import { accessProblem, accessStrings } from '#components/access/words';
import { HelpedSection } from '#components/ui/help-section';
import { Button, CopyButton } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs';
import { TextField } from '#components/ui/fields';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { useIsMounted, useOpened } from '#components/ui/hooks';
import { NotLoaded } from '#components/ui/notices';
import { SubmitDialog, useSubmit } from '#components/ui/submit';
import { TimeAgo } from '#components/ui/page-parts';
import { reportFailure } from '#components/ui/toasts';
import type { NewTotp, Passkey, SignInFactors } from '#server/core/people';

const text = accessStrings.factors;

/** Passkeys and one-time codes of the signed-in user; nothing in local mode. */
export function Factors() {
  const isPerson = useMe()?.kind === 'user';
  return isPerson ? (
    <HelpedSection name="factors" title={text.title} body={text.body}>
      <Loaded />
    </HelpedSection>
  ) : null;
}

function Loaded() {
  const { data, error, mutate } = useSWR<SignInFactors, Error>(accessPaths.factors);
  const reload = () => void mutate();
  if (!data) return <NotLoaded title={text.loadFailed} error={error} onRetry={reload} />;
  return (
    <div className="border-t border-rule">
      <Passkeys passkeys={data.passkeys} onChanged={reload} />
      <OneTimeCodes factors={data} onChanged={reload} />
    </div>
  );
}

interface PasskeysProps {
  readonly passkeys: readonly Passkey[];
  readonly onChanged: () => void;
}

function Passkeys({ passkeys, onChanged }: PasskeysProps) {
  const isMounted = useIsMounted();
  const isOffered = isMounted && 'PublicKeyCredential' in window;
  const adding = useOpened();
  const removing = useOpened<Passkey>();
  const [name, setName] = useState('');
  const submit = useSubmit(accessProblem);
  const add = () =>
    submit.run(async () => {
      await access.addPasskey(name);
      adding.close();
      setName('');
      toast(text.passkeyAdded);
      onChanged();
    });
  return (
    <section aria-label={text.passkeys} className="border-b border-rule py-4">
      <h3 className="text-base font-medium">{text.passkeys}</h3>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">
        {isMounted && !isOffered ? text.passkeysMissing : text.passkeysBody}
      </p>
      {passkeys.length === 0 && <p className="mt-2 text-sm text-ink-3">{text.none}</p>}
      <ul className="mt-2">
        {passkeys.map((passkey) => (
          <li key={passkey.id} ref={passOnFocus} className="flex flex-wrap items-center gap-x-6 py-1 text-sm">
            <span className="min-w-0 flex-1 basis-40 break-words">{passkey.name}</span>
            {passkey.createdAt !== null && (
              <span className="text-xs text-ink-3">
                {text.added} <TimeAgo time={passkey.createdAt} />
              </span>
            )}
            <Button variant="ghost" aria-label={text.removeOf(passkey.name)} onClick={() => removing.open(passkey)}>
              {text.remove}
            </Button>
          </li>
        ))}
      </ul>
      <Button className="mt-2 h-9" disabled={!isOffered} onClick={() => adding.open()}>
        {text.addPasskey}
      </Button>
      {adding.opened && (
        <SubmitDialog
          title={text.addPasskey}
          save={text.next}
          saving={text.saving}
          submit={submit}
          onSubmit={() => void add()}
          onClose={adding.close}
        >
          <TextField label={text.passkeyName} hint={text.passkeyNameHint} required value={name} onChange={setName} />
        </SubmitDialog>
      )}
      <ConfirmDialog
        open={removing.opened !== null}
        onOpenChange={(open) => !open && removing.close()}
        title={text.removeTitle(removing.opened?.target.name ?? '')}
        body={text.removeBody}
        confirm={text.remove}
        onConfirm={() => {
          const id = removing.opened?.target.id;
          if (id !== undefined) void access.removePasskey(id).then(onChanged, reportFailure);
        }}
      />
    </section>
  );
}

interface OneTimeCodesProps {
  readonly factors: SignInFactors;
  readonly onChanged: () => void;
}

function OneTimeCodes({ factors: { hasTotp, hasPassword }, onChanged }: OneTimeCodesProps) {
  const dialog = useOpened();
  return (
    <section aria-label={text.totp} className="border-b border-rule py-4">
      <h3 className="text-base font-medium">{text.totp}</h3>
      <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{hasTotp ? text.totpOn : text.totpOff}</p>
      {/* Codes are asked for only after a password, so one must be set. */}
      <Button className="mt-3 h-9" disabled={!hasPassword} onClick={() => dialog.open()}>
        {hasTotp ? text.turnOff : text.turnOn}
      </Button>
      {dialog.opened &&
        (hasTotp ? (
          <TurnOff onDone={onChanged} onClose={dialog.close} />
        ) : (
          <SetUp onDone={onChanged} onClose={dialog.close} />
        ))}
    </section>
  );
}

interface DialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function PasswordField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <TextField
      label={text.password}
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
    />
  );
}

function TurnOff({ onDone, onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      await access.endTotp(password);
      toast(text.totpRemoved);
      onDone();
      onClose();
    });
  return (
    <SubmitDialog
      title={text.turnOffTitle}
      save={text.turnOff}
      saving={text.saving}
      submit={submit}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p className="text-sm text-ink-2">{text.turnOffBody}</p>
      <PasswordField value={password} onChange={setPassword} />
    </SubmitDialog>
  );
}

/** Password first, then the picture for the app and the recovery codes; the first right code turns it on. */
function SetUp({ onDone, onClose }: DialogProps) {
  const [password, setPassword] = useState('');
  const [made, setMade] = useState<NewTotp | null>(null);
  const [code, setCode] = useState('');
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      if (!made) return setMade(await access.beginTotp(password));
      await access.confirmTotp(code);
      toast(text.totpAdded);
      onDone();
      onClose();
    });
  return (
    <SubmitDialog
      title={text.setUpTitle}
      save={made ? text.confirm : text.next}
      saving={text.saving}
      submit={submit}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      {made ? (
        <>
          <p className="text-sm text-ink-2">{text.setUpBody}</p>
          <QrCode value={made.uri} />
          <Copied label={text.key} copy={text.copyKey} value={new URL(made.uri).searchParams.get('secret') ?? ''} />
          <h3 className="text-sm font-medium">{text.recoveryTitle}</h3>
          <p className="-mt-3 text-sm text-ink-2">{text.recoveryBody}</p>
          <Copied label={text.recoveryTitle} copy={text.copyRecovery} value={made.recoveryCodes.join(' ')} />
          <CodeField code={code} onChange={setCode} />
        </>
      ) : (
        <PasswordField value={password} onChange={setPassword} />
      )}
    </SubmitDialog>
  );
}

interface CopiedProps {
  readonly label: string;
  readonly copy: string;
  readonly value: string;
}

function Copied({ label, copy, value }: CopiedProps) {
  return (
    <div className="flex items-start gap-2 rounded-md border border-rule-strong bg-paper px-3 py-2">
      <code aria-label={label} className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">
        {value}
      </code>
      <CopyButton text={value} label={copy} />
    </div>
  );
}

/** Dark on white in every theme: cameras want it so. */
function QrCode({ value }: { readonly value: string }) {
  const { data, size } = encode(value, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg
      role="img"
      aria-label={text.picture}
      viewBox={`0 0 ${size} ${size}`}
      className="mx-auto size-44 rounded-md bg-white text-black"
    >
      <path d={path} fill="currentColor" />
    </svg>
  );
}
