/**
 * Program of Node that takes keys. Of its three questions the second is answered by one key. To the others an Enter read in one piece with
 * other letters is a part of the text.
 */
export const KEY_QUESTIONS = `
  process.stdin.setRawMode(true);
  const asked = ["? Project name: ", "? Delete it? (y/N) ", "? Delete all others too? (Y/n) "];
  const answers = [];
  let text = "";
  const draw = () => process.stdout.write("\\r" + asked[answers.length] + text);
  const answer = (given) => {
    answers.push(given || "default");
    text = "";
    process.stdout.write("\\r\\n");
    if (answers.length < asked.length) draw();
    else process.stdout.write("taken " + answers.join(" and ") + "\\r\\n");
  };
  const take = (piece) => {
    if (answers.length === 1) {
      answer(piece[0]);
      if (piece.length > 1) take(piece.slice(1));
    } else if (piece === "\\r") answer(text);
    else {
      text += piece.replaceAll("\\r", "⏎");
      draw();
    }
  };
  process.stdin.on("data", (data) => take(String(data)));
  draw();
`;
