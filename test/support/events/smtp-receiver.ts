import { once } from 'node:events';
import net from 'node:net';
import { createInterface } from 'node:readline';

/** A mail that came. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** User and password that were given, or the empty text. */
  readonly login: string;
  /** Head and body. */
  readonly text: string;
}

/** A mail server that takes what it is sent, as far as RFC 5321 is needed for that; `answer` may refuse at a command. */
export async function smtpReceiver(answer: (command: string) => string | undefined = () => undefined) {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    let mail = { from: '', to: [] as string[], login: '', text: '' };
    let inText = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    const end = () => {
      inText = false;
      mails.push(mail);
      mail = { ...mail, to: [], text: '' };
      say('250 taken');
    };
    createInterface({ input: socket }).on('line', (line) => {
      if (inText) {
        if (line === '.') end();
        else mail.text += `${line}\n`;
        return;
      }
      const [command = ''] = line.toUpperCase().split(/[ :]/);
      const refusal = answer(command);
      if (refusal !== undefined) say(refusal);
      else if (command === 'EHLO') socket.write('250-here\r\n250 AUTH PLAIN\r\n');
      else if (command === 'AUTH') {
        mail.login = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')
          .slice(1)
          .join(':');
        say('235 welcome');
      } else if (command === 'DATA') {
        inText = true;
        say('354 go on');
      } else {
        const address = /<(.*?)>/.exec(line)?.[1] ?? '';
        if (command === 'MAIL') mail.from = address;
        if (command === 'RCPT') mail.to.push(address);
        say(command === 'QUIT' ? '221 bye' : '250 well');
        if (command === 'QUIT') socket.end();
      }
    });
    say('220 here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    mails,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
