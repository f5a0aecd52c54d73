import { defaultSchema } from 'rehype-sanitize';
import { expect, it } from 'vitest';
import { removedElements } from '#server/markup/removed-elements';
import { keptTags } from '#server/markup/sanitize-rules';

it.each([
  ['<iframe src="https://www.google.com/maps/embed?pb=1"></iframe>', ['iframe']],
  ['<div><figure><IFRAME src=//player.example/1></IFRAME></figure></div>', ['iframe']],
  ['<video controls src="/a.mp4">No video.</video><iframe></iframe><iframe></iframe>', ['video', 'iframe']],
  ['<form><input name="q"><button>Go</button></form>', ['form', 'input', 'button']],
  ['<svg><path d="M0 0"/></svg><script>1</script>', ['svg', 'script']],
  ['<p>An &lt;iframe&gt; in <code>&lt;iframe src&gt;</code></p><!-- <iframe> -->', []],
  ['<table><tr><td align="right">1</td></tr></table><details open><summary>a</summary></details>', []],
  ['a < b', []],
])('names the elements of %s that are removed', (html, names) => {
  expect(removedElements(html)).toEqual(names);
});

it('names no element that the rules keep', () => {
  const all = keptTags(defaultSchema.tagNames ?? []).map((name) => `<${name}></${name}>`);
  expect(removedElements(all.join(''))).toEqual([]);
});
