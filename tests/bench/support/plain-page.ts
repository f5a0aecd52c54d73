import { longAnswer, longHistory } from '#tests/support/long-history';
import { type LoopbackServer, startLoopback } from '#tests/support/loopback-server';

/*
 * The peer: a page without any framework that has the same texts as plain paragraphs, all in one document, and a text
 * field. `?stream` appends 200 pieces a second to a last paragraph.
 */

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param count messages */
export async function startPlainPage(count: number): Promise<LoopbackServer> {
  const paragraphs = longHistory(count).map(({ content }) => `<p>${escape(content)}</p>`);
  const pieces = JSON.stringify(longAnswer(4_000)).replaceAll('<', '\\u003c');
  const html = `<!doctype html><title>Plain</title>
    <style>body{display:flex;flex-direction:column;height:100vh;margin:0}main{flex:1;overflow:auto}p{white-space:pre-wrap}</style>
    <main role="log">${paragraphs.join('')}<p id="live"></p></main><form><textarea></textarea><button>Send</button></form>
    <script>
      const log = document.querySelector('main');
      log.scrollTop = log.scrollHeight;
      if (location.search === '?stream') {
        const pieces = ${pieces};
        setInterval(() => { document.getElementById('live').append(pieces.shift() ?? ''); log.scrollTop = log.scrollHeight; }, 5);
      }
    </script>`;
  return startLoopback((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html),
  );
}
