import { Mutex } from 'async-mutex';
import clsx from 'clsx';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import useSWR from 'swr';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { HelpedSection } from '#components/ui/help-section';
import { ToolServerDialog, ToolServerOutcome } from '#components/settings/tool-server-dialog';
import { useTest } from '#components/ui/test-outcome';
import { settingsStrings } from '#components/settings/words';
import { Button, Disclosure, Toggle } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { SentSwitch } from '#components/ui/sent-switch';
import { useOpened } from '#components/ui/hooks';
import { NotLoaded } from '#components/ui/notices';
import { reportFailure } from '#components/ui/toasts';
import type {
  McpServerInput,
  McpServerReport,
  McpServersReport,
  McpTest,
  McpToolReport,
} from '#server/core/mcp-servers';

const text = settingsStrings.toolServers;

/** Polling interval while a server is not connected; milliseconds. */
const LOOK_AGAIN_MS = 1_500;

/** Servers whose tools are offered beside the assistant's own. */
export function ToolServersSection() {
  const { data, error, mutate } = useSWR<McpServersReport, Error>(paths.toolServers, {
    refreshInterval: (report) =>
      report?.items.some(({ status }) => status === 'connecting' || status === 'failed') ? LOOK_AGAIN_MS : 0,
  });
  /** The server; null: a new one. */
  const dialog = useOpened<McpServerReport | null>();
  const take = (report: McpServersReport) => void mutate(report, { revalidate: false });
  return (
    <HelpedSection name="tool-servers" title={text.title} body={text.body}>
      <div className="border-t border-rule">
        {data ? (
          <>
            {data.items.length === 0 && <p className="border-b border-rule py-5 text-sm text-ink-2">{text.empty}</p>}
            <ul>
              {data.items.map((server) => (
                <li key={server.id} ref={passOnFocus}>
                  <ToolServerRow
                    server={server}
                    onEdit={() => dialog.open(server)}
                    onReport={take}
                    onRemoved={() => void mutate()}
                  />
                </li>
              ))}
            </ul>
            <div className="mt-4 flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
              <Button className="h-9" onClick={() => dialog.open(null)}>
                <Plus aria-hidden className="size-4" />
                {text.add}
              </Button>
              <Cost report={data} />
            </div>
          </>
        ) : (
          <NotLoaded title={text.loadFailed} error={error} onRetry={() => mutate()} />
        )}
      </div>
      {data && dialog.opened && (
        <ToolServerDialog
          server={dialog.opened.target}
          canRunPrograms={data.canRunPrograms}
          onSaved={(report) => {
            take(report);
            dialog.close();
          }}
          onClose={dialog.close}
        />
      )}
    </HelpedSection>
  );
}

/** Token cost of the definitions, and how they reach a model. */
function Cost({ report: { items, tokens, limit } }: { readonly report: McpServersReport }) {
  if (items.length === 0) return null;
  return (
    <div className="max-w-[52ch] min-w-0 flex-1 basis-64 text-xs text-ink-2">
      <p>{tokens > limit ? text.onDemand(tokens, limit) : text.total(tokens)}</p>
      <p className="mt-1 text-ink-3">{text.share}</p>
      <p className="mt-1 text-ink-3">{text.hint}</p>
    </div>
  );
}

/** Sends changes in order, so that the last one wins; each answer is about all servers. */
const inOrder = new Mutex();

interface ToolServerRowProps {
  readonly server: McpServerReport;
  readonly onEdit: () => void;
  readonly onReport: (report: McpServersReport) => void;
  readonly onRemoved: () => void;
}

/** One tool server: state, cost, and permissions of its tools. */
function ToolServerRow({ server, onEdit, onReport, onRemoved }: ToolServerRowProps) {
  const { id, name, policy, isEnabled, status, problem, tools, tokens } = server;
  const [isRemoving, setIsRemoving] = useState(false);
  const test = useTest<McpTest>();

  const change = (changes: Partial<McpServerInput>) =>
    inOrder.runExclusive(() => api.toolServers.change(id, changes)).then(onReport, reportFailure);
  const remove = () => {
    api.toolServers.remove(id).then(onRemoved, reportFailure);
  };

  return (
    <article aria-label={name} className="border-b border-rule py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="flex flex-wrap items-baseline gap-x-3 text-base font-medium">
            {name}
            <span
              className={clsx(
                'text-xs font-normal',
                status === 'ready' ? 'text-accent' : status === 'failed' ? 'text-red' : 'text-ink-3',
              )}
            >
              {text.status[status]}
            </span>
          </h3>
          <p className="mt-0.5 text-sm text-ink-2 tabular-nums">{text.cost(tools.length, tokens)}</p>
          <p className="mt-0.5 font-mono text-2xs break-all text-ink-3">{whereOf(server)}</p>
        </div>
        <Toggle
          aria-label={text.enabledOf(name)}
          checked={isEnabled}
          onCheckedChange={(isOn) => void change({ isEnabled: isOn })}
        />
      </div>
      {problem !== null && <p className="mt-2 text-sm break-words whitespace-pre-line text-red">{problem}</p>}
      <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-2">
        <div className="flex items-center gap-2.5 text-sm text-ink-2">
          {text.policy}
          <SentSwitch
            label={text.policyOf(name)}
            value={policy}
            choices={text.policies}
            onChange={(next) => change({ policy: next })}
          />
        </div>
        <div className="flex flex-wrap gap-1">
          <Button
            variant="ghost"
            aria-label={text.testOf(name)}
            isBusy={test.isTesting}
            onClick={() => void test.run(() => api.toolServers.test(id))}
          >
            {test.isTesting ? text.testing : text.test}
          </Button>
          <Button variant="ghost" aria-label={text.editOf(name)} onClick={onEdit}>
            {text.edit}
          </Button>
          <Button variant="ghost" aria-label={text.removeOf(name)} onClick={() => setIsRemoving(true)}>
            {text.remove}
          </Button>
        </div>
      </div>
      <ToolServerOutcome result={test.result} />
      {tools.length > 0 && <Tools tools={tools} />}
      <ConfirmDialog
        open={isRemoving}
        onOpenChange={setIsRemoving}
        title={text.removeTitle(name)}
        body={text.removeBody}
        confirm={text.remove}
        onConfirm={remove}
      />
    </article>
  );
}

function whereOf({ transport }: McpServerReport): string {
  return transport.type === 'stdio' ? [transport.command, ...transport.args].join(' ') : transport.url;
}

/** Tools of the server; their policies are set with those of our own tools. */
function Tools({ tools }: { readonly tools: readonly McpToolReport[] }) {
  return (
    <Disclosure title={text.tools(tools.length)}>
      <ul className="mt-2 overflow-hidden rounded-lg border border-rule bg-sheet">
        {tools.map(({ name, title, description, policy, isOverridden, tokens }) => (
          <li key={name} className="border-b border-rule px-4 py-2.5 last:border-b-0">
            <p className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
              <span className="font-medium break-all">{title}</span>
              <span className="text-xs text-ink-2 tabular-nums">
                {text.toolPolicies[policy]}
                {isOverridden && ` (${text.overridden})`} · {text.cost(1, tokens).replace(/^.*, /, '')}
              </span>
            </p>
            <p className="line-clamp-2 text-xs text-ink-2">{description}</p>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
