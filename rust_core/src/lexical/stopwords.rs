//! Words that carry no subject: left out of queries, and never a concept.
//!
//! Both lists are closed sets: pronouns, articles, auxiliaries, prepositions, conjunctions, question words, particles.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::tokenize::stem;

/// English, as normalised text with the apostrophe of a contraction taken out.
const ENGLISH: &str = "\
    a an the this that these those such same \
    i me my mine myself we us our ours ourselves you your yours yourself yourselves \
    he him his himself she her hers herself it its itself they them their theirs themselves \
    am is are was were be been being do does did doing done have has had having \
    can could will would shall should might must ought \
    dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant cannot couldnt wont wouldnt shouldnt mustnt aint \
    what whats who whos whom whose which when where why how whether \
    and or but nor so if then else than because as while though although until unless \
    of at by for with without about against between into onto through during before after above below \
    to from up down in out on off over under upon within toward towards per via \
    again further once here there now just also too very only even ever yet still \
    all any both each either neither few more most much many other another some no not none own \
    one ones anyone anything someone something everyone everything nothing nobody somebody anybody \
    im ive id ill youre youve youd youll hes shes theyre theyve theyd theyll weve wed thats theres lets \
    tell told say said says know please ok okay yes etc";

/// Chinese words, as the segmenter cuts them.
const CHINESE: &str = "\
    的 地 得 了 着 过 吗 呢 吧 啊 呀 哦 嗯 嘛 啦 么 哈 喔 \
    我 你 您 他 她 它 咱 我们 你们 您们 他们 她们 它们 咱们 自己 人家 大家 我的 你的 他的 她的 \
    这 那 这个 那个 这些 那些 这里 那里 这儿 那儿 这样 那样 这么 那么 这次 那次 这是 那是 此 该 其 \
    什么 什么样 什么时候 是什么 为什么 有什么 啥 谁 谁的 哪 哪个 哪些 哪里 哪儿 哪位 哪种 哪天 哪年 哪一个 \
    怎么 怎么样 怎样 如何 为何 何时 何地 多少 多久 几 几个 几点 几时 是否 是不是 有没有 能否 能不能 会不会 要不要 可不可以 \
    是 不是 在 有 没 没有 不 也 都 就 还 又 再 很 太 更 最 才 只 却 并 便 曾 曾经 已 已经 正在 正 将 会 能 要 可以 可 应该 \
    和 与 跟 及 以及 或 或者 而 而且 并且 但 但是 可是 不过 因为 所以 如果 虽然 即使 只要 只有 还是 于是 然后 \
    把 被 让 使 给 对 对于 关于 向 从 到 由 于 以 为 为了 按 按照 根据 通过 比 像 除了 之 之前 之后 时 时候 的时候 \
    一 一个 一些 一下 一种 一样 个 些 些什么 种 次 等 等等 里 里面 上 下 中 来 去 请 请问 告诉 知道 说 说过 记得 还记得 所 们";

/// Characters that are particles, pronouns or auxiliaries: alone they are no term of a document, and a bigram that
/// holds one is no concept.
const FUNCTION_CHARACTERS: &str = "的地得了着过吗呢吧啊呀哦嗯嘛啦么喔我你您他她它咱这那哪啥谁是在有没不也都就还又再很太更最才只却和与跟及或而但把被让给对从到由于以为之个些们其此该会能要说去来";

static STOP_WORDS: LazyLock<FxHashSet<String>> = LazyLock::new(|| {
    let words = ENGLISH.split_whitespace().chain(CHINESE.split_whitespace());
    words.map(str::to_owned).collect()
});

/// What the stop words look like as terms.
static STOP_TERMS: LazyLock<FxHashSet<String>> =
    LazyLock::new(|| STOP_WORDS.iter().flat_map(|word| [word.clone(), stem(word).into_owned()]).collect());

/// With what character a stop word begins: nearly all Chinese words are told from them without a hash.
static STOP_BEGINNINGS: LazyLock<Marks> =
    LazyLock::new(|| Marks::of(STOP_WORDS.iter().filter_map(|word| word.chars().next())));

static FUNCTION_SET: LazyLock<Marks> = LazyLock::new(|| Marks::of(FUNCTION_CHARACTERS.chars()));

/// A set of characters, one bit for each up to the highest of them.
struct Marks(Vec<u64>);

impl Marks {
    fn of(characters: impl Iterator<Item = char>) -> Self {
        let mut words = Vec::new();
        for at in characters.map(|character| character as usize) {
            words.resize(words.len().max(at / 64 + 1), 0_u64);
            words[at / 64] |= 1 << (at % 64);
        }
        Self(words)
    }

    fn has(&self, character: char) -> bool {
        let at = character as usize;
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

/// Whether a normalised, unstemmed word carries no subject.
pub fn is_stop_word(word: &str) -> bool {
    word.chars().next().is_some_and(|first| STOP_BEGINNINGS.has(first)) && STOP_WORDS.contains(word)
}

/// Whether a term, stemmed as the index has it, comes from a stop word.
pub fn is_stop_term(term: &str) -> bool {
    STOP_TERMS.contains(term)
}

/// Whether a Chinese character mostly serves grammar.
pub fn is_function_character(character: char) -> bool {
    FUNCTION_SET.has(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_words_and_particles_are_stop_words_and_subjects_are_not() {
        for word in ["what", "who", "when", "where", "how", "did", "什么", "哪些", "吗", "呢", "的", "了", "我", "你"]
        {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["lisbon", "move", "时区", "上海", "喝酒", "花名", "茶", "c++", "10"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }

    #[test]
    fn what_the_bits_say_is_what_the_sets_hold() {
        assert!(STOP_WORDS.iter().all(|word| is_stop_word(word)) && !is_stop_word(""));
        for character in '\0'..=char::MAX {
            assert_eq!(is_function_character(character), FUNCTION_CHARACTERS.contains(character));
        }
    }

    #[test]
    fn a_stop_word_is_known_by_its_stem_too() {
        assert!(is_stop_term("becaus") && is_stop_term("does") && is_stop_term("doe"));
        assert!(!is_stop_term("lisbon"));
    }
}
