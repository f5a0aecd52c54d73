import type { Metadata } from 'next';
import { BenchPage } from '#components/admin/bench/bench-page';
import { PageTitle } from '#components/admin/page-title';
import { Notice } from '#components/ui/notice';
import { parseBenchReport } from '#lib/bench/bench-report-text';
import { benchStrings as say } from '#lib/strings/bench';
import { requirePage } from '#server/http/require-page';
import { services } from '#server/services';

export const metadata: Metadata = { title: say.title };

/** What `npm run bench` measured: here, or else before this version came out. */
export default async function AdminBenchPage() {
  await requirePage('admin');
  const { benchReport } = await services();
  const stored = await benchReport();
  const parsed = stored && parseBenchReport(stored.text);
  return (
    <>
      <PageTitle title={say.title} intro={say.intro} />
      {parsed === null && <Notice title={say.missing} body={say.missingBody} />}
      {parsed && 'problem' in parsed && <Notice title={say.broken} body={say.brokenBody(parsed.problem)} />}
      {stored && parsed && 'report' in parsed && <BenchPage report={parsed.report} source={stored.source} />}
    </>
  );
}
