import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import { type EventStream, openEventStream } from '../../../src/http/event-stream.ts';

describe('a stream of events', () => {
  const stopping = new AbortController();
  const opened: EventStream[] = [];
  const app = express().get('/', (req, res) => void opened.push(openEventStream(req, res, stopping.signal)));
  const server = createServer(app);
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => void server.close());

  const open = async (headers = {}): Promise<{ answer: IncomingMessage; stream: EventStream; leave: () => void }> => {
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', headers });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined).setEncoding('utf8');
    const stream = opened.at(-1);
    assert.ok(stream);
    return { answer, stream, leave: () => void request.destroy() };
  };

  it('sends each message as an event with JSON, on lines of its own', async () => {
    const { answer, stream, leave } = await open({ 'Last-Event-ID': '41' });
    assert.equal(answer.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.lastEventId, '41');
    stream.send({ event: 'tree\ndata: forged', data: { text: 'a\nb' }, id: '42' });
    const [chunk] = await once(answer, 'data');
    assert.equal(chunk, 'id: 42\nevent: tree data: forged\ndata: {"text":"a\\nb"}\n\n');
    leave();
  });

  it('ends when the browser leaves, and takes nothing after that', async () => {
    const { stream, leave } = await open();
    const aborted = once(stream.signal, 'abort');
    leave();
    await aborted;
    assert.doesNotThrow(() => stream.send({ event: 'late', data: 1 }));
  });

  it('ends when the server stops', async () => {
    const { answer, stream } = await open();
    const ended = once(answer.resume(), 'end');
    stopping.abort();
    await ended;
    assert.equal(stream.signal.aborted, true);
  });
});
