import clsx from 'clsx';
import { useState } from 'react';
import { toast } from '#components/toast';
import { mutate as mutateAny } from 'swr';
import { paths } from '#components/api/paths';
import { ConnectDialog, providerApi, useProviders } from '#components/providers/connect-dialog';
import { providerStrings } from '#components/providers/words';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs';
import { useOpened } from '#components/ui/hooks';
import { NotLoaded } from '#components/ui/notices';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { reportFailure } from '#components/ui/toasts';
import type { ConnectableId } from '#server/core/provider-words';
import type { ProviderReport, ProviderTest } from '#server/core/providers';

const text = providerStrings;

/** Model providers: whether each is connected, and the way to change that. */
export function Providers() {
  const { providers, error, reload } = useProviders();
  const dialog = useOpened<ConnectableId>();
  if (!providers) return <NotLoaded title={text.failed} error={error} onRetry={() => reload()} />;
  return (
    <>
      <ul className="border-t border-rule">
        {providers.map((provider) => (
          <li key={provider.id}>
            <ProviderRow provider={provider} onConnect={dialog.open} />
          </li>
        ))}
      </ul>
      {dialog.opened && <ConnectDialog initial={dialog.opened.target} onClose={dialog.close} />}
    </>
  );
}

interface ProviderRowProps {
  readonly provider: ProviderReport;
  readonly onConnect: (id: ConnectableId) => void;
}

function ProviderRow({ provider, onConnect }: ProviderRowProps) {
  const { id, configured, source, problem } = provider;
  const { name, body } = text.names[id];
  const test = useTest<ProviderTest>();
  const isOurs = id !== 'built-in' && source !== 'environment';
  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {name}
            <span className={clsx('text-xs font-normal', configured ? 'text-accent' : 'text-ink-3')}>
              {configured ? (id === 'built-in' ? text.ready : text.connected) : text.missing}
            </span>
          </h3>
          <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{body}</p>
          {configured && <Facts provider={provider} />}
          {problem !== null && <p className="mt-2 text-sm text-red">{problem}</p>}
          {source === 'environment' && (
            <p className="mt-2 max-w-[60ch] text-xs text-ink-3">{text.fromEnvironment(provider.variables)}</p>
          )}
        </div>
        <div className="flex flex-wrap gap-1">
          {configured && (
            <Button
              variant="ghost"
              aria-label={text.testOf(name)}
              isBusy={test.isTesting}
              onClick={() => void test.run(() => providerApi.test(id))}
            >
              {test.isTesting ? text.testing : text.test}
            </Button>
          )}
          {isOurs && (
            <OwnActions id={id} name={name} isConnected={configured || problem !== null} onConnect={onConnect} />
          )}
        </div>
      </div>
      <TestOutcome
        result={test.result}
        latencyMs={test.result && 'latencyMs' in test.result ? test.result.latencyMs : null}
      >
        {test.result?.message}
      </TestOutcome>
    </article>
  );
}

interface OwnActionsProps extends Pick<ProviderRowProps, 'onConnect'> {
  readonly id: ConnectableId;
  readonly name: string;
  /** Something is stored of it. */
  readonly isConnected: boolean;
}

/** Actions of an administrator on a provider that the environment leaves to them. */
function OwnActions({ id, name, isConnected, onConnect }: OwnActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const disconnect = async () => {
    await providerApi.disconnect(id);
    toast(text.disconnected(name));
    await Promise.all([mutateAny(paths.engineSettings), mutateAny(paths.models)]);
  };
  if (!isConnected) {
    return (
      <Button className="h-9" aria-label={text.connectOf(name)} onClick={() => onConnect(id)}>
        {text.connectShort}
      </Button>
    );
  }
  return (
    <>
      <Button variant="ghost" aria-label={text.changeOf(name)} onClick={() => onConnect(id)}>
        {text.change}
      </Button>
      <Button variant="ghost" aria-label={text.disconnectOf(name)} onClick={() => setIsAsking(true)}>
        {text.disconnect}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={text.disconnectTitle(name)}
        body={text.disconnectBody}
        confirm={text.disconnect}
        onConfirm={() => void disconnect().catch(reportFailure)}
      />
    </>
  );
}

function Facts({ provider }: { readonly provider: ProviderReport }) {
  const { id, baseUrl, hasKey, source, models } = provider;
  const key = hasKey ? (source === 'environment' ? text.environmentKey : text.hasKey) : text.noKey;
  const facts = [
    ...(baseUrl === null ? [] : [[text.address, baseUrl]]),
    ...(id === 'built-in' ? [] : [[text.key, key]]),
    [text.offered, text.models(models)],
  ];
  return (
    <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-xs">
      {facts.map(([term, value]) => (
        <div key={term} className="contents">
          <dt className="text-ink-3">{term}</dt>
          <dd className="break-all text-ink-2">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
