export const install = {
  newVersion: "A new version is ready.",
  reload: "Reload",
  title: "On the home screen",
  install: "Install",
  how: "How",
  hint: "panewatch can stand on your home screen.",
  dialog: "Opens in a window of its own, starts without the network, counts who waits on its icon.",
  share: "In Safari, tap Share, then “Add to Home Screen”.",
  needsHttps: "Browsers install and notify only over HTTPS.",
  installed: "Installed.",
};
