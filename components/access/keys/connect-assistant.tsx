import Link from 'next/link';
import { Button } from '#components/ui/button';
import { CopyButton } from '#components/ui/copy-button';
import { ACCOUNT_PATH } from '#lib/desk/navigation';
import { callStrings } from '#lib/strings/calls';

const text = callStrings.connect;

/** What another assistant has to be told to use the site. Drawn in the browser, which knows where we are. */
export function ConnectAssistant({ onCreateKey }: { readonly onCreateKey: () => void }) {
  const url = new URL('/mcp', window.location.origin).href;
  const headers = { Authorization: `Bearer ${text.key}` };
  const snippet = JSON.stringify({ mcpServers: { throughline: { type: 'http', url, headers } } }, null, 2);
  return (
    <details className="mt-6 rounded-lg border border-rule px-4 py-3">
      <summary className="w-fit cursor-pointer rounded text-sm font-medium">{text.title}</summary>
      <p className="mt-2 max-w-[62ch] text-sm text-ink-2">
        {text.body}{' '}
        <Link href={ACCOUNT_PATH} className="text-accent underline underline-offset-2">
          {text.account}
        </Link>
        {text.end}
      </p>
      <Button className="mt-3" onClick={onCreateKey}>
        {text.create}
      </Button>
      <p className="mt-2 max-w-[62ch] text-xs text-ink-2">{text.former}</p>
      <h4 className="mt-3 text-xs font-medium text-ink-2">{text.address}</h4>
      <div className="flex items-center gap-2">
        <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{url}</code>
        <CopyButton text={url} label={text.copyAddress} />
      </div>
      <h4 className="mt-3 text-xs font-medium text-ink-2">{text.snippet}</h4>
      <div className="mt-1 flex items-start gap-2 rounded-md border border-rule bg-paper px-3 py-2">
        <pre className="min-w-0 flex-1 overflow-x-auto font-mono text-xs">{snippet}</pre>
        <CopyButton text={snippet} label={text.copySnippet} />
      </div>
    </details>
  );
}
