import { dayAndTime } from '#lib/ui/format';
import { auditStrings as text } from '#lib/strings/audit';
import type { AuditEntry } from '#server/core/audit';

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  /** Somebody's entries alone are asked for. */
  readonly onUser: (user: { readonly id: string; readonly name: string }) => void;
}

/** What was done, a row each. Where there is little room, the address stands under the name. */
export function AuditTable({ entries, onUser }: AuditTableProps) {
  const { when, who, what, from } = text.columns;
  return (
    <table className="mt-6 w-full table-fixed border-collapse text-sm">
      <caption className="sr-only">{text.table}</caption>
      <colgroup>
        <col className="w-40 max-sm:w-24" />
        <col className="w-56 max-sm:w-28" />
        <col />
        <col className="w-44 max-md:hidden" />
      </colgroup>
      <thead>
        <tr className="border-b border-rule-strong text-left text-xs text-ink-2">
          <th className="pb-2 font-normal">{when}</th>
          <th className="px-3 pb-2 font-normal">{who}</th>
          <th className="px-3 pb-2 font-normal">{what}</th>
          <th className="pb-2 pl-3 font-normal max-md:hidden">{from}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.id} entry={entry} onUser={onUser} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ entry, onUser }: { readonly entry: AuditEntry; readonly onUser: AuditTableProps['onUser'] }) {
  const { action, actorName, userId, keyId, target, details, ipAddress, createdAt } = entry;
  const tool = details?.['tool'];
  return (
    <tr className="border-b border-rule align-top [&>td]:py-2.5">
      <td className="text-ink-2 tabular-nums">
        <time dateTime={new Date(createdAt).toISOString()}>{dayAndTime(createdAt)}</time>
      </td>
      <td className="px-3">
        {userId === null ? (
          <span className="break-words text-ink-2">{actorName}</span>
        ) : (
          <button
            type="button"
            aria-label={text.onlyBy(actorName)}
            onClick={() => onUser({ id: userId, name: actorName })}
            className="max-w-full rounded text-left break-words hover:underline"
          >
            {actorName}
          </button>
        )}
        {keyId !== null && <p className="text-xs text-ink-3">{text.withKey}</p>}
        {ipAddress !== null && <p className="font-mono text-2xs break-all text-ink-3 md:hidden">{ipAddress}</p>}
      </td>
      <td className="px-3">
        <p>{typeof tool === 'string' ? text.tool(tool) : text.actions[action]}</p>
        {target !== null && <p className="text-xs break-words text-ink-2">{target}</p>}
      </td>
      <td className="pl-3 font-mono text-xs break-all text-ink-2 max-md:hidden">{ipAddress ?? text.unknownAddress}</td>
    </tr>
  );
}
