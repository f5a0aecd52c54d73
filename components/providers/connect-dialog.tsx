'use client';

import clsx from 'clsx';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import useSWR, { mutate } from 'swr';
import { paths } from '#components/api/paths.ts';
import type { Answer } from '#components/api/routes.ts';
import { translator } from '#components/i18n.ts';
import { keyPages } from '#components/providers/key-pages.ts';
import { Button } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { Field, formFieldStyle, TextField } from '#components/ui/fields';
import { localizedText } from '#components/message-text.ts';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { type ConnectableId, connectableIds } from '#server/core/admin/provider-names';
import type { ConnectOutcome, LocalServers, ProviderTest } from '#server/core/admin/providers';
import { providerApi, useProviders } from '#components/providers/provider-requests.ts';

const t = translator('providers');
/** Keeps browsers from filling in a stored password. */
const UNFILLED = { autoComplete: 'off', spellCheck: false } as const;
const NO_SERVERS: LocalServers['items'] = [];

interface ConnectDialogProps {
  /** The preselected provider. Default: the one for which most people have a key. */
  readonly initial?: ConnectableId;
  /** Called with the new default model, if it has changed. */
  readonly onConnected?: (modelId: string) => void;
  readonly onClose: () => void;
}

/** Connects a model provider: where it runs, its key or address, and the result of the attempt. */
export function ConnectDialog({ initial = 'openrouter', onConnected, onClose }: ConnectDialogProps) {
  const { providers } = useProviders();
  const [id, setId] = useState<ConnectableId>(initial);
  const [apiKey, setApiKey] = useState('');
  const [baseUrl, setBaseUrl] = useState<string | null>(null);
  const [modelId, setModelId] = useState<string | null>(null);
  const attempt = useTest<ConnectOutcome & { readonly ok: boolean }>();
  const stored = providers?.find((each) => each.id === id);
  const isLocal = id === 'openai-compatible';
  // Local servers are searched only after the user has chosen that option.
  const search = useSWR(isLocal ? 'local-servers' : null, providerApi.localServers, { revalidateOnFocus: false });
  const servers = search.data ?? NO_SERVERS;
  const address = baseUrl ?? (isLocal ? (stored?.baseUrl ?? servers[0]?.baseUrl ?? '') : '');
  const tried = attempt.result && 'test' in attempt.result ? attempt.result.test : null;
  const choices = tried?.choices ?? servers.find((server) => server.baseUrl === address)?.models ?? [];
  /** True if the provider answered, but the model did not pass the test: it may be connected anyway. */
  const mayConnectAnyway = tried !== null && (tried.problem === 'tools' || tried.problem === 'model');

  const choose = (next: ConnectableId) => {
    setId(next);
    setApiKey('');
    setBaseUrl(null);
    setModelId(null);
    attempt.forget();
  };
  const connect = (anyway: boolean) =>
    attempt.run(async () => {
      if (isLocal ? address === '' : apiKey === '' && !(stored?.hasKey ?? false)) {
        throw new Error(isLocal ? t('dialog.noAddress') : t('dialog.noKey'));
      }
      const draft = { ...(apiKey !== '' && { apiKey }), ...(isLocal && address !== '' && { baseUrl: address }) };
      const outcome = await providerApi.connect(id, { ...draft, modelId, anyway });
      if (outcome.connected) await finish(outcome);
      return { ...outcome, ok: outcome.connected };
    });
  const finish = async ({ test }: ConnectOutcome) => {
    const [models] = await Promise.all([
      mutate<Answer<'GET', '/api/models'>>(paths.models),
      mutate(paths.engineSettings),
    ]);
    const answers = test.modelId !== null && models?.defaultModelId === test.modelId;
    const model = test.choices.find((each) => each.id === test.modelId)?.name ?? test.modelId ?? '';
    toast.success(answers ? t('dialog.done', { model }) : t('dialog.kept', { provider: t(`names.${id}.name`) }));
    if (answers && test.modelId !== null) onConnected?.(test.modelId);
    onClose();
  };

  return (
    <FormDialog
      title={t('dialog.title')}
      width="wide"
      save={attempt.isTesting ? t('dialog.connecting') : t('dialog.connect')}
      isBusy={attempt.isTesting}
      onSubmit={() => void connect(false)}
      onClose={onClose}
      outcome={
        <div className="max-h-56 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          {attempt.isTesting && <p className="mt-3 text-sm text-ink-2">{t('dialog.wait')}</p>}
          <TestOutcome result={attempt.result}>
            {tried
              ? localizedText(tried.reason, tried.message)
              : attempt.result && 'message' in attempt.result
                ? attempt.result.message
                : null}
          </TestOutcome>
        </div>
      }
      extra={
        mayConnectAnyway && (
          <Button className="mr-auto" isBusy={attempt.isTesting} onClick={() => void connect(true)}>
            {t('dialog.anyway')}
          </Button>
        )
      }
    >
      <ProviderChoice
        value={id}
        onChange={choose}
        fixed={providers?.filter(({ source }) => source === 'environment').map((each) => each.id) ?? []}
      />
      {isLocal && (
        <LocalFields
          address={address}
          servers={servers}
          isSearching={search.isValidating}
          onSearch={() => void search.mutate()}
          onAddress={(next) => {
            setBaseUrl(next);
            setModelId(null);
            attempt.forget();
          }}
        />
      )}
      <KeyField
        id={id}
        value={apiKey}
        isStored={stored?.hasKey ?? false}
        onChange={(key) => {
          setApiKey(key);
          attempt.forget();
        }}
      />
      {choices.length > 0 && (
        <ModelChoice choices={choices} value={modelId ?? tried?.modelId ?? null} onChange={setModelId} />
      )}
    </FormDialog>
  );
}

interface ProviderChoiceProps {
  readonly value: ConnectableId;
  readonly onChange: (id: ConnectableId) => void;
  /** Providers that the environment configures. */
  readonly fixed: readonly string[];
}

function ProviderChoice({ value, onChange, fixed }: ProviderChoiceProps) {
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">{t('dialog.choice')}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {connectableIds.map((id) => {
          const isFixed = fixed.includes(id);
          return (
            <label
              key={id}
              className={clsx(
                'grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 rounded-lg border px-3 py-2.5 has-focus-visible:ring-2 has-focus-visible:ring-accent',
                value === id ? 'border-accent bg-accent-wash' : 'border-rule-strong',
                isFixed ? 'opacity-60' : 'cursor-pointer hover:border-ink-3',
                id === 'openai-compatible' && 'sm:col-span-2',
              )}
            >
              <input
                type="radio"
                name="provider"
                value={id}
                checked={value === id}
                disabled={isFixed}
                onChange={() => onChange(id)}
                className="row-span-2 mt-1 size-3.5 accent-accent outline-none"
              />
              <span className="text-sm font-medium">{t(`names.${id}.name`)}</span>
              <span className="text-xs text-ink-2">{isFixed ? t('environmentKey') : t(`names.${id}.body`)}</span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

interface KeyFieldProps {
  readonly id: ConnectableId;
  readonly value: string;
  readonly isStored: boolean;
  readonly onChange: (key: string) => void;
}

function KeyField({ id, value, isStored, onChange }: KeyFieldProps) {
  const page = keyPages[id];
  return (
    <div>
      <TextField
        {...UNFILLED}
        type="password"
        label={page === undefined ? t('dialog.optionalKey') : t('dialog.key')}
        hint={t('dialog.keyHint')}
        placeholder={isStored ? t('dialog.stored') : undefined}
        value={value}
        onChange={onChange}
      />
      {page !== undefined && (
        <a
          href={page}
          target="_blank"
          rel="noreferrer"
          className="mt-1.5 inline-flex items-center gap-1 text-xs text-accent underline underline-offset-3"
        >
          {t('dialog.keyPage', { host: new URL(page).host })}
          <ExternalLink aria-hidden className="size-3" />
        </a>
      )}
    </div>
  );
}

interface LocalFieldsProps {
  readonly address: string;
  readonly servers: LocalServers['items'];
  readonly isSearching: boolean;
  readonly onSearch: () => void;
  readonly onAddress: (address: string) => void;
}

/** Model servers that were found on this machine, and a field for any other address. */
function LocalFields({ address, servers, isSearching, onSearch, onAddress }: LocalFieldsProps) {
  return (
    <>
      <fieldset aria-busy={isSearching}>
        <legend className="mb-1 text-sm font-medium">{t('dialog.found')}</legend>
        <output className="text-sm text-ink-2">
          {isSearching ? t('dialog.looking') : servers.length === 0 ? t('dialog.nothing') : ''}
        </output>
        {!isSearching && (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
            {servers.map(({ name, baseUrl, isLoading }) => (
              <label key={baseUrl} className="flex cursor-pointer items-center gap-2 text-sm">
                <input
                  type="radio"
                  name="server"
                  checked={address === baseUrl}
                  onChange={() => onAddress(baseUrl)}
                  className="accent-accent"
                />
                {isLoading
                  ? t('dialog.serverLoading', { name, host: new URL(baseUrl).host })
                  : t('dialog.server', { name, host: new URL(baseUrl).host })}
              </label>
            ))}
            <Button variant="ghost" onClick={onSearch}>
              {t('dialog.lookAgain')}
            </Button>
          </div>
        )}
      </fieldset>
      <TextField
        {...UNFILLED}
        type="url"
        label={t('dialog.address')}
        hint={t('dialog.addressHint')}
        placeholder="http://127.0.0.1:1234/v1"
        value={address}
        onChange={onAddress}
      />
    </>
  );
}

interface ModelChoiceProps {
  readonly choices: ProviderTest['choices'];
  /** Null: the recommended model. */
  readonly value: string | null;
  readonly onChange: (modelId: string | null) => void;
}

function ModelChoice({ choices, value, onChange }: ModelChoiceProps) {
  return (
    <Field label={t('dialog.model')}>
      {(ids) => (
        <select
          {...ids}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
          className={formFieldStyle}
        >
          <option value="">{t('dialog.recommended')}</option>
          {choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
