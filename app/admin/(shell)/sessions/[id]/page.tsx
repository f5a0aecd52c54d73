import { SessionPage } from '#components/admin/session/session-page';
import { requirePage } from '#server/http/page-access';

interface PageProps {
  readonly params: Promise<{ readonly id: string }>;
}

/** One session: its context over time, its compactions, and the next request. */
export default async function AdminSessionPage({ params }: PageProps) {
  await requirePage('admin');
  const { id } = await params;
  return <SessionPage id={id} />;
}
