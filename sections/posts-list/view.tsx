import { PostList } from '#components/content/post-list';
import { SectionHeading } from '#components/content/section-parts';
import type { SectionDisplay, SectionProps } from '#components/content/section-props.ts';
import type { SitePost } from '#components/content/site-context.ts';

/** The newest posts with a tag, or of all posts. */
function postsFor(posts: readonly SitePost[], count: number, tag: string | undefined): readonly SitePost[] {
  const wanted = tag?.toLowerCase();
  const tagged =
    wanted === undefined
      ? posts
      : posts.filter(({ document }) => document.tags?.some((name) => name.toLowerCase() === wanted));
  return tagged.slice(0, count);
}

function Content({ fields: { heading, count, tag, layout }, site, mark }: SectionProps<'posts-list'>) {
  return (
    <>
      <SectionHeading heading={heading} mark={mark} />
      <PostList
        posts={postsFor(site.posts, count, tag)}
        site={site}
        level={heading === undefined ? 2 : 3}
        layout={layout}
      />
    </>
  );
}

export const postsListView: SectionDisplay<'posts-list'> = { Content };
