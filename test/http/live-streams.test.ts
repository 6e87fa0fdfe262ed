import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { createLiveStreams } from '../../src/web/live/live-streams.ts';
import type { Series } from '../../src/web/live/shared-reading.ts';
import { eventually } from '../support/eventually.ts';
import type { CookieBrowser } from './support/cookie-browser.ts';
import { type House, openHouse } from './support/house.ts';

interface Open {
  readonly status: number;
  /** What has come so far. */
  text(): string;
  readonly ended: Promise<void>;
  leave(): void;
}

describe('a live stream', () => {
  let house: House;
  const stopping = new AbortController();
  const world = { series: [] as { readonly user: string; readonly signal: AbortSignal }[], forbidden: '' };

  before(async () => {
    const streams = createLiveStreams(stopping.signal);
    const read = async (actor: Actor): Promise<string> => {
      if (actor.user === world.forbidden) throw new AppError('Forbidden', 'thing: no');
      return actor.user;
    };
    const reader = (actor: Actor, { signal }: Series): (() => Promise<string>) => {
      world.series.push({ user: actor.user, signal });
      return async () => await read(actor);
    };
    const render = (reading: string) => ({ html: `of ${reading}`, status: '' });
    const live = express
      .Router()
      .get('/:thing', (req, res) => streams.answer(req, res, { key: req.path, intervalMs: 700, reader, render }));
    house = await openHouse({ http: { routers: [{ path: '/live', handler: live, access: 'signed-in' }] } });
  });
  after(async () => {
    stopping.abort();
    await house.close();
  });

  const opened: Open[] = [];
  const open = async (headers: Readonly<Record<string, string>>, thing = 'thing'): Promise<Open> => {
    const leave = new AbortController();
    const answer = await fetch(`${house.origin}/live/${thing}`, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: leave.signal,
    });
    let text = '';
    const drain = async (): Promise<void> => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
    };
    const stream = { status: answer.status, text: () => text, ended: drain().catch(() => undefined), leave: () => leave.abort() };
    opened.push(stream);
    return stream;
  };
  const leaveAll = async (): Promise<void> => {
    for (const { leave } of opened) leave();
    await Promise.all(opened.splice(0).map(({ ended }) => ended));
  };
  const signIn = async (person: string): Promise<{ browser: CookieBrowser; cookie: string }> => {
    const browser = house.browser();
    await browser.signIn(person);
    const name = `chandlery-${new URL(house.origin).port}`;
    return { browser, cookie: `${name}=${browser.cookie(name)}` };
  };

  it('is one of ten for a session and fifty for a person, and the next is rejected with a sentence until one is closed', async () => {
    const sessions = await Promise.all(Array.from({ length: 6 }, async () => (await signIn('dev-a')).cookie));
    for (const cookie of sessions.slice(0, 5)) {
      const streams = await Promise.all(Array.from({ length: 10 }, () => open({ cookie })));
      assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200]);
    }
    const ofSession = await open({ cookie: sessions[0] ?? '' });
    const ofPerson = await open({ cookie: sessions[5] ?? '' });
    const byToken = await open({ authorization: `Bearer ${await house.issuer.mintToken('dev-a')}` });
    assert.deepEqual([ofSession.status, ofPerson.status, byToken.status], [409, 409, 409]);
    await Promise.all([ofSession, ofPerson].map(({ ended }) => ended));
    assert.match(ofSession.text(), /the limit of 10 for one session is reached; close other tabs, or refresh the page by hand/);
    assert.match(ofPerson.text(), /the limit of 50 for one person is reached/);
    const { cookie } = await signIn('dev-b');
    assert.equal((await open({ cookie })).status, 200, 'another person has places of their own');
    opened[0]?.leave();
    await eventually(async () => (await open({ cookie: sessions[5] ?? '' })).status === 200, 'a place is free again');
    await leaveAll();
  });

  it('shares its readings with the others of the same person alone, until nobody looks', async () => {
    const [asha, ben] = [await signIn('dev-a'), await signIn('dev-b')];
    world.series.length = 0;
    const streams = await Promise.all(Array.from({ length: 10 }, () => open({ cookie: asha.cookie })));
    const other = await open({ cookie: ben.cookie });
    const has = (user: string) => `event: change\ndata: {"html":"of ${user}","status":""}\n\n`;
    const all = [...streams.map(({ text }) => [text, has('oidc:dev-a')] as const), [other.text, has('oidc:dev-b')] as const];
    await eventually(async () => all.every(([text]) => text() !== ''), 'everybody has got it');
    for (const [text, expected] of all) assert.equal(text(), expected);
    assert.deepEqual(
      world.series.map(({ user }) => user),
      ['oidc:dev-a', 'oidc:dev-b'],
    );
    await leaveAll();
    await eventually(async () => world.series.every(({ signal }) => signal.aborted), 'the readings have ended');
  });

  it('ends within seconds of the sign-out, with an event that the page knows', async () => {
    const { browser, cookie } = await signIn('dev-a');
    const [stream, stays] = [await open({ cookie }), await open({ cookie: (await signIn('dev-b')).cookie })];
    await browser.submit('/logout', {});
    await stream.ended;
    assert.match(stream.text(), /event: signed-out\ndata: \{\}\n\n$/);
    assert.doesNotMatch(stays.text(), /signed-out/);
    await leaveAll();
  });

  it('ends when the permission is lost', async () => {
    const { cookie } = await signIn('dev-a');
    const stream = await open({ cookie });
    world.forbidden = 'oidc:dev-a';
    await stream.ended;
    assert.match(stream.text(), /event: gone\n/);
    assert.equal((await open({ cookie })).status, 403);
    world.forbidden = '';
  });

  it('keeps no session from its idle end, and ends with it and with the token', async () => {
    const { cookie } = await signIn('dev-a');
    const streams = [await open({ cookie }), await open({ authorization: `Bearer ${await house.issuer.mintToken('dev-b')}` })];
    house.pass(121 * 60_000);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const { text } of streams) assert.match(text(), /event: signed-out\n/);
  });
});
