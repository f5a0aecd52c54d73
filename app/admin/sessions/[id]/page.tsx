import { SessionPage } from '#components/admin/session/session-page';
import { requirePage } from '#server/http/page-access';

interface PageProps {
  readonly params: Promise<{ readonly id: string }>;
}

/** One session: its context over time, what was done about it, and what the next step would send. */
export default async function AdminSessionPage({ params }: PageProps) {
  await requirePage('admin');
  const { id } = await params;
  return <SessionPage id={id} />;
}
