import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { number } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { strategyName } from '#components/ui/compaction-words.ts';
import { TimeAgo } from '#components/ui/page-parts';

const t = translator('admin.programs');

/** The newest compactions of conversations that programs send to `/v1`; renders nothing if there are none. */
export function ProgramCompactions() {
  const { data } = useApi(paths.programCompactions);
  if (!data || data.items.length === 0) return null;
  const figure = 'px-3 text-right tabular-nums last:pr-0';
  return (
    <section aria-labelledby="program-compactions" className="mt-12">
      <h2 id="program-compactions" className="font-serif text-xl">
        {t('title')}
      </h2>
      <p className="mt-1 text-sm text-ink-2">{t('intro')}</p>
      <div className="mt-4 overflow-x-auto">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-b border-rule-strong text-xs text-ink-2">
              <th scope="col" className="pb-2 text-left font-normal">
                {t('model')}
              </th>
              <th scope="col" className="px-3 pb-2 text-left font-normal">
                {t('strategy')}
              </th>
              <th scope="col" className={`pb-2 font-normal ${figure}`}>
                {t('tokens')}
              </th>
              <th scope="col" className={`pb-2 font-normal ${figure}`}>
                {t('messages')}
              </th>
              <th scope="col" className={`pb-2 font-normal ${figure}`}>
                {t('time')}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map(({ id, modelId, strategy, tokensBefore, tokensAfter, messagesCompacted, createdAt }) => (
              <tr key={id} className="h-10 border-b border-rule">
                <th scope="row" className="text-left font-normal">
                  {modelId}
                </th>
                <td className="px-3">{strategyName(strategy)}</td>
                <td className={`${figure} whitespace-nowrap`}>
                  {t('change', { before: number.format(tokensBefore), after: number.format(tokensAfter) })}
                </td>
                <td className={figure}>{number.format(messagesCompacted)}</td>
                <td className={`${figure} whitespace-nowrap`}>
                  <TimeAgo time={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
