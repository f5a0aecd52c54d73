import { Plus } from 'lucide-react';
import useSWR from 'swr';
import { ToolServerDialog } from '#components/settings/mcp/tool-server-dialog';
import { ToolServerRow } from '#components/settings/mcp/tool-server-row';
import { Section } from '#components/settings/settings-group';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { paths } from '#lib/api/api-client';
import { settingsStrings } from '#lib/strings/settings';
import { useOpened } from '#lib/ui/use-opened';
import type { McpServerReport, McpServersReport } from '#server/core/mcp-servers';

const text = settingsStrings.toolServers;

/** How often a server that is not connected yet is looked at; milliseconds. */
const LOOK_AGAIN_MS = 1_500;

/** Servers whose tools are offered beside the assistant's own. */
export function ToolServersSection() {
  const { data, error, mutate } = useSWR<McpServersReport, Error>(paths.toolServers, {
    refreshInterval: (report) =>
      report?.items.some(({ status }) => status === 'connecting' || status === 'failed') ? LOOK_AGAIN_MS : 0,
  });
  /** For which server; null: a new one. */
  const dialog = useOpened<McpServerReport | null>();
  const take = (report: McpServersReport) => void mutate(report, { revalidate: false });
  return (
    <Section name="tool-servers" title={text.title} body={text.body}>
      <div className="border-t border-rule">
        {data ? (
          <>
            {data.items.length === 0 && <p className="border-b border-rule py-5 text-sm text-ink-2">{text.empty}</p>}
            <ul>
              {data.items.map((server) => (
                <li key={server.id}>
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
        ) : error ? (
          <Notice
            title={text.loadFailed}
            body={error.message}
            action={{ label: settingsStrings.retry, run: () => void mutate() }}
          />
        ) : (
          <div aria-hidden className="my-5 h-16 animate-breathe rounded-md bg-rule" />
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
    </Section>
  );
}

/** What the definitions cost, and how they reach a model. */
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
