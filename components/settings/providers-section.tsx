import clsx from 'clsx';
import { CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import { Section } from '#components/settings/settings-group';
import { Button } from '#components/ui/button';
import { api } from '#lib/api-client';
import { messageOf } from '#lib/message-of';
import { settingsStrings } from '#lib/strings/settings';
import type { ProviderReport, ProviderTest } from '#server/core/settings-report';

/** Who serves models, and whether they can be reached. */
export function ProvidersSection({ providers }: { readonly providers: readonly ProviderReport[] }) {
  return (
    <Section name="providers" title={settingsStrings.providers.title} body={settingsStrings.providers.body}>
      <ul className="border-t border-rule">
        {providers.map((provider) => (
          <li key={provider.id}>
            <ProviderRow provider={provider} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

type TestResult = Pick<ProviderTest, 'ok' | 'message'> & { readonly latencyMs: number | null };

function ProviderRow({ provider }: { readonly provider: ProviderReport }) {
  const { name, body } = settingsStrings.providers.names[provider.id];
  const [isTesting, setIsTesting] = useState(false);
  const [result, setResult] = useState<TestResult | null>(null);

  const test = async () => {
    setIsTesting(true);
    setResult(null);
    try {
      setResult(await api.testProvider(provider.id));
    } catch (error) {
      setResult({ ok: false, latencyMs: null, message: messageOf(error) });
    } finally {
      setIsTesting(false);
    }
  };

  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {name}
            <State provider={provider} />
          </h3>
          <p className="mt-0.5 max-w-[60ch] text-sm text-ink-2">{body}</p>
          <Facts provider={provider} />
        </div>
        <Button
          className="h-9"
          aria-label={settingsStrings.providers.testOf(name)}
          disabled={!provider.configured || isTesting}
          onClick={() => void test()}
        >
          {isTesting ? settingsStrings.providers.testing : settingsStrings.providers.test}
        </Button>
      </div>
      <output aria-live="polite" className="block">
        {result && <Result result={result} />}
      </output>
    </article>
  );
}

function State({ provider: { id, configured } }: { readonly provider: ProviderReport }) {
  const { ready, configured: isConfigured, missing } = settingsStrings.providers;
  return (
    <span className={clsx('text-xs font-normal', configured ? 'text-accent' : 'text-ink-3')}>
      {configured ? (id === 'built-in' ? ready : isConfigured) : missing}
    </span>
  );
}

function Facts({ provider }: { readonly provider: ProviderReport }) {
  const { id, configured, baseUrl, hasKey, variables, models } = provider;
  const text = settingsStrings.providers;
  if (!configured) {
    return <p className="mt-2 text-xs text-ink-3">{text.setUp(variables[0] ?? '')}</p>;
  }
  const facts = [
    ...(baseUrl === null ? [] : [[text.address, baseUrl]]),
    ...(id === 'built-in' ? [] : [[text.key, hasKey ? text.hasKey : text.noKey]]),
    [text.offered, text.models(models)],
    ...(variables.length === 0 ? [] : [[text.variables, variables.join(', ')]]),
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

function Result({ result: { ok, message, latencyMs } }: { readonly result: TestResult }) {
  const Icon = ok ? CircleCheck : CircleX;
  return (
    <p
      data-ok={ok}
      className={clsx(
        'mt-3 flex items-start gap-2 rounded-md px-3 py-2 text-sm',
        ok ? 'bg-accent-wash text-ink' : 'bg-red-wash text-ink',
      )}
    >
      <Icon aria-hidden className={clsx('mt-0.5 size-4 shrink-0', ok ? 'text-accent' : 'text-red')} />
      <span className="min-w-0 flex-1">{message}</span>
      {latencyMs !== null && (
        <span className="shrink-0 text-ink-2 tabular-nums">{settingsStrings.providers.latency(latencyMs)}</span>
      )}
    </p>
  );
}
