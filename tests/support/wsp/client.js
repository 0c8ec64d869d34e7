// The double's executable: carries its arguments to the test that plays the tool, prints the answer.
const chunks = [];
await Bun.connect({
  unix: "CONTROL_PATH",
  socket: {
    open(socket) {
      const { HOME, XDG_CONFIG_HOME, HERDR_SESSION, HERDR_SOCKET_PATH, HERDR_ENV } = process.env;
      const env = { HOME, XDG_CONFIG_HOME, HERDR_SESSION, HERDR_SOCKET_PATH, HERDR_ENV };
      socket.write(`${JSON.stringify({ args: process.argv.slice(2), env })}\n`);
    },
    data(_, data) {
      chunks.push(data);
    },
    close() {
      const { code, stdout, stderr } = JSON.parse(Buffer.concat(chunks).toString());
      process.exitCode = code;
      process.stderr.write(stderr);
      process.stdout.write(Buffer.from(stdout, "base64"));
    },
  },
});
